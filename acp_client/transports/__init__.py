"""Ways to reach an agent; each module is imported only when its kind of target is used."""
