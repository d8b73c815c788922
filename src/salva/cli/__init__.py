"""The commands: thin shells that make one public call each and show its result."""
