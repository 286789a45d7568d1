"""Algorithms: no Azure, no terminal; time and storage come in as parameters."""
