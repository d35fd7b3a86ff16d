"""The pure rules of the Team Tournament."""
