"""Local services: Azurite from a pinned lock file, installed once, and Azure Files, started and stopped here."""
