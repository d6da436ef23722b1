"""An agent process whose other end is in the test: what it reads goes to a socket, what the socket says it writes."""

import os
import socket
import sys
import threading


def forward(source: socket.socket) -> None:
    while block := os.read(0, 65536):
        source.sendall(block)
    os._exit(0)


def main() -> None:
    link = socket.socket(socket.AF_UNIX)
    link.connect(sys.argv[1])
    threading.Thread(target=forward, args=(link,), daemon=True).start()
    while block := link.recv(65536):
        view = memoryview(block)
        while view:
            view = view[os.write(1, view) :]
    os._exit(3)


if __name__ == "__main__":
    main()
