"""Answers and failures as text: for people, and for programs. The only package that knows Rich."""
