"""What is known about words: English in WordNet, endings and forms of other languages, frequencies."""
