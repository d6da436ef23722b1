"""The rules of cancellation that show on the wire, each played by a scripted agent against a client program."""
