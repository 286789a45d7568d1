"""One module per noun: each command parses, asks, and returns the answer."""
