"""JSON-RPC 2.0 and nothing of ACP: messages, the two request tables, routing, and the one connection that waits."""
