"""Steps from torchvision's transforms and Hugging Face's processors.

Neither library is imported: the objects are identified by the names of their classes.
"""
