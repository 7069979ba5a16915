"""What a run is: games, rules, seeds, chunks, executors, storage, replay."""
