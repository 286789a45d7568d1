"""Azure Files on this machine: its REST interface over a data directory, with SMB clients simulated beside it.

Nothing here is imported by a command but by the process that serves.
"""
