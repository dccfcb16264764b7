"""The work of a command on the machines of a Ray cluster: what is distributed is Ray's, nothing of it is ours."""
