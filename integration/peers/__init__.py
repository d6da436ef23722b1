"""Programs that others wrote, to test against: SDKs, agents, and the model server that the agents talk to."""
