"""From ops of the NPU with schedules to its instructions."""
