"""What is asked about every item under every condition, as one table; suites; nothing here knows an answer."""
