"""Facts about the services, as data."""
