"""A device in sixty lines: NumPy computes, its memory is a dict, its queue a list."""

import json
from types import SimpleNamespace

import numpy as np

from devproc.backend import Backend, Description, Link, Memory


def matmul(x, y):
    return np.matmul(x, y, dtype=np.result_type(x, np.int32))


OPS = {
    **{"nn.add": np.add, "nn.sub": np.subtract, "nn.mul": np.multiply},
    **{"nn.exp": np.exp, "nn.maximum": np.maximum, "nn.matmul": matmul},
    "nn.relu": lambda x: np.maximum(x, 0),
    "nn.linear": lambda x, weight, bias=0: matmul(x, weight.T) + bias,
    "nn.reduce_sum": lambda x, axes, keep: x.sum(tuple(axes)),
    "nn.transpose": lambda x, permutation: x.transpose(permutation),
    **{"nn.reshape": lambda x, shape: x, "nn.constant": lambda value: value},
}


class NumPy(Backend):
    summary = "NumPy, the example of docs/backends.md"

    def describe(self, target):
        return Description((Memory("dict", 1e10),), {"": 1e10}, 1e-6, Link(1e-6, 1e10))

    def legal(self, ops):
        from devproc.ir.program.region_data import dtypes_of

        names = {op.name for op in ops} | dtypes_of(ops)
        return [f"NumPy has no {name}" for name in names.difference(OPS, dir(np))]

    def build(self, module):
        from devproc.ir.program.region_data import functions_as_data

        return json.dumps(functions_as_data(module)).encode()

    def problems(self, code, launches):
        known = json.loads(code)
        return [f"there is no '{name}'" for name in launches if name not in known]

    def load(self, code, weights, option=""):
        kept = {name: array.copy() for name, array in weights.items()}
        return SimpleNamespace(code=json.loads(code), weights=kept, memory={}, queue=[])

    def allocate(self, handle, byte_count):
        memory = handle.memory[len(handle.memory)] = np.empty(byte_count, np.uint8)
        return handle.queue, memory

    def view(self, memory, offset, dtype, shape):
        return memory[0], np.ndarray(shape, dtype, memory[1], offset)

    def upload(self, source, buffer):
        queue, place = buffer
        queue.append(lambda: assign(place, source.numpy()))

    def download(self, buffer, destination):
        queue, place = buffer
        queue.append(lambda: assign(destination.numpy(), place))

    def launch(self, handle, symbol, buffers, queue=0):
        function, places = handle.code[symbol], [place for _, place in buffers]
        handle.queue.append(lambda: run(function, handle.weights, places))

    def synchronize(self, handle, queue=0):
        while handle.queue:
            handle.queue.pop(0)()


def run(function, weights, places):
    ops, types = OPS | {"nn.weight": lambda name: weights[name]}, function["arguments"]
    values = [place.view(dtype) for place, (dtype, _) in zip(places, types)]
    for op, operands, properties, dtype, shape in function["ops"]:
        value = ops[op](*(values[n] for n in operands), **properties)
        values.append(np.asarray(value, dtype).reshape(shape))
    for place, number in zip(places[len(types) :], function["returned"]):
        assign(place, values[number])


def assign(place, value):
    # Memory has no sign: uint8 is kept as int8.
    place[...] = value.view(place.dtype).reshape(place.shape)
