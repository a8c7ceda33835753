"""Steps from objects that people have: torchvision's transforms, Hugging Face's processors.

Neither library is imported: the objects are read by the names of their classes.
"""
