"""What the protocol asks of a client, decided without waiting: cancellation, permissions, questions, turns."""
