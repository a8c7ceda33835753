"""Runs the host program: native segments, launches, copies, states, trace."""
