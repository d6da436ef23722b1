"""Client programs for the kit: ours, and those on the official SDKs, each as its documentation suggests.

Each takes `--agent COMMAND` (a JSON array) and `--version N`, starts the agent, opens a session, prompts once, and does
what the agent's `host: ...` texts say until the connection ends. With `--careful` a program on an SDK adds what a host
can do by itself: it keeps a list of its dialogs, answers them when it cancels or closes, and bounds its waits.
"""
