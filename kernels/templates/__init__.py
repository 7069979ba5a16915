"""Strategies to start from, one a game; new-strategy copies them."""
