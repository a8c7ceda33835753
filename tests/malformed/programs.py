"""Malformed programs that a table of single ops cannot spell."""

from tests.malformed import checks, devices, loop, schedules, signal, values

GROUPS = {
    "constants": values.CONSTANTS,
    "dominance": values.DOMINANCE,
    "regions": devices.REGIONS,
    "order": devices.ORDER,
    "plans": devices.PLANS,
    "attributes": values.ATTRIBUTES,
    "repeated": values.REPEATED,
    "signal": signal.SIGNAL,
    "checks": checks.CHECKS,
    "loop": loop.LOOPS,
    "schedules": schedules.CONFLICTS,
    "nests": schedules.NESTS,
}
PROGRAMS = {
    f"{group}: {name}": program
    for group, programs in GROUPS.items()
    for name, program in programs.items()
}
