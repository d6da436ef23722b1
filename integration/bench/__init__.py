"""How much a client costs on one workload: ours, the official SDKs, and the floors. See README.md."""
