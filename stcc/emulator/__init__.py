"""Local services: Azurite from a pinned lock file, installed once, started and stopped here."""
