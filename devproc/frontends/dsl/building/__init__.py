"""How a step is built, and how an error in it is shown."""
