"""An extension as a user writes it, outside of the package: dialect `lab`, and its tests."""
