"""Reports: what a saved result says, as a page that people read and data that programs read."""
