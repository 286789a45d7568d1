"""A command on a leash: its process group, the terminal it uses, and who ends it when we cannot."""
