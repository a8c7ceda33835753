"""The parts of `gpu_model.py` and `gpu_queue.py`."""
