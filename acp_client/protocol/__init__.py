"""The only code that knows a protocol version: one dialect each, and the negotiation between them."""
