"""Azure Storage: the only package that imports `azure`.

Every function asks the service one question and returns what it answered: an
outcome when it said yes, a `Refused` when it said no. It is synchronous and
keeps nothing between calls but the connections of an `Account`, so that many
may be in flight from threads and from processes alike.
"""
