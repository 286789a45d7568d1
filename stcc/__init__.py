"""stcc: the concurrency controls of Azure Storage, for shells and people."""
