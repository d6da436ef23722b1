"""The clients we are compared with: programs that take the arguments of `scenarios` and print one JSON line."""
