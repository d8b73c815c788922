"""The commands: thin shells, one public call each, then what it returned is shown."""
