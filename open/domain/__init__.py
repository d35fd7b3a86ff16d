"""Rules as pure functions: standard library only, no Django, no clock, no unseeded random."""
