"""What people type, parsed into values, and printed back: pure, and without a network."""
