"""The engine on Redis: the keys are those of clients that know nothing of stcc, what stcc adds lies beside them."""
