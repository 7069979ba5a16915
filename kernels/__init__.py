"""What happens in a game: compiled functions on integers and arrays."""
