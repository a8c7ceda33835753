"""What a bundle says about itself, and how Python calls one."""
