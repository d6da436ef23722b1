"""What the fake model says, and in which shape each API carries it."""
