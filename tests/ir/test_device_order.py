"""The order of several asynchronous devices; `tests/malformed/devices.py` has one."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.utils.exceptions import VerifyException

from devproc.ir.verification.verify import verify_module
from tests.backend.packages import install_device
from tests.repository import parse

CPU, CUDA, NPU = (f'tensor<2xf32, #dev.on<"{d}">>' for d in ("cpu", "cuda", "npu"))
ON_CPU, ON_CUDA, ON_NPU = (
    f'memref<2xf32, #dev.on<"{d}">>' for d in ("cpu", "cuda", "npu")
)


@pytest.fixture(autouse=True)
def _npu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_device(tmp_path, monkeypatch, "npu")


def relu(device: str, type_: str, operand: str, result: str) -> str:
    """A region that computes one value from another."""
    return f"""
      {result} = dev.region "{device}" ({operand}) : ({type_}) -> ({type_}) {{
      ^bb0(%p: {type_}):
        %q = nn.relu %p : ({type_}) -> {type_}
        dev.yield %q : {type_}
      }}"""


def chain(*left_out: str) -> str:
    """x on the GPU, then on the NPU, then on the host; without the named steps."""
    steps = {
        "upload": f"%a = dev.copy %x : {CPU} to {CUDA}",
        "on cuda": relu("cuda", CUDA, "%a", "%b"),
        "download": f"%c = dev.copy %b : {CUDA} to {CPU}",
        "sync cuda": 'dev.sync "cuda"',
        "upload again": f"%d = dev.copy %c : {CPU} to {NPU}",
        "on npu": relu("npu", NPU, "%d", "%e"),
        "download again": f"%f = dev.copy %e : {NPU} to {CPU}",
        "sync npu": 'dev.sync "npu"',
        "on cpu": relu("cpu", CPU, "%f", "%g"),
    }
    kept = "\n  ".join(text for name, text in steps.items() if name not in left_out)
    return f"func.func @main(%x: {CPU}) -> {CPU} {{\n  {kept}\n  func.return %g : {CPU}\n}}"


def refused(text: str) -> str:
    """The message for a program that is in no order."""
    with pytest.raises(VerifyException) as caught:
        verify_module(parse(text))
    return str(caught.value)


def test_a_program_over_three_devices() -> None:
    verify_module(parse(chain()))


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("sync cuda", "'dev.copy' (unknown source) reads a result of 'cuda' on 'npu'"),
        (
            "sync npu",
            "'dev.region' (unknown source) reads a result of 'npu' on the host",
        ),
    ],
)
def test_a_missing_sync(missing: str, message: str) -> None:
    assert message in refused(chain(missing))


def test_a_sync_of_the_other_device() -> None:
    text = chain().replace('dev.sync "cuda"', 'dev.sync "npu"')
    assert "reads a result of 'cuda' on 'npu'" in refused(text)


KERNEL = """
func.func private @k({0}) -> {0} attributes {{
  dev.kernel = #dev.kernel<"{1}", "pointwise", ["nn.relu"]>
}}
func.func @main(%x: {0}) {{
  %y = dev.launch @k(%x) : ({0}) -> ({0})
  func.return
}}
"""


@pytest.mark.parametrize(
    ("device", "other", "type_"),
    [
        ("npu", "cuda", CUDA),
        ("cuda", "npu", NPU),
        ("npu", "cpu", CPU),
        ("cpu", "npu", NPU),
    ],
)
def test_a_missing_copy(device: str, other: str, type_: str) -> None:
    """A kernel is launched on a value of another device."""
    message = f"'dev.launch' (unknown source) on '{device}' uses a value of '{other}'"
    assert f"{message} without a copy" in refused(KERNEL.format(type_, device))


@pytest.mark.parametrize(
    ("device", "type_"), [("npu", CUDA), ("cuda", NPU), ("cpu", NPU)]
)
def test_a_value_on_a_wrong_device(device: str, type_: str) -> None:
    body = relu(device, type_, "%x", "%y")
    text = f"func.func @main(%x: {type_}) {{{body}\n  func.return\n}}"
    other = "cuda" if type_ == CUDA else "npu"
    assert (
        f"uses a value of '{other}': a value crosses devices only through"
        in refused(text)
    )


@pytest.mark.parametrize("form", ["values", "buffers"])
def test_a_copy_between_devices_that_only_the_host_reaches(form: str) -> None:
    if form == "values":
        copy, types = f"%y = dev.copy %x : {CUDA} to {NPU}", f"%x: {CUDA}"
    else:
        copy = f"plan.copy %x to %y : {ON_CUDA} to {ON_NPU}"
        types = f"%x: {ON_CUDA}, %y: {ON_NPU}"
    found = refused(f"func.func @main({types}) {{\n  {copy}\n  func.return\n}}")
    assert "is between the devices 'cuda' and 'npu', which only the host can" in found


ARGUMENTS = f"%x: {ON_CPU}, %y: {ON_CPU}, %c: {ON_CUDA}, %n: {ON_NPU}"
DOWN_CUDA = f"plan.copy %c to %x : {ON_CUDA} to {ON_CPU}"
DOWN_NPU = f"plan.copy %n to %x : {ON_NPU} to {ON_CPU}"
UP_CUDA = f"plan.copy %x to %c : {ON_CPU} to {ON_CUDA}"
UP_NPU = f"plan.copy %x to %n : {ON_CPU} to {ON_NPU}"
HOST_WRITES = f"plan.copy %y to %x : {ON_CPU} to {ON_CPU}"
HOST_READS = f"plan.copy %x to %y : {ON_CPU} to {ON_CPU}"
CUDA_SYNC, NPU_SYNC = 'dev.sync "cuda"', 'dev.sync "npu"'


def planned(*steps: str) -> str:
    """A host program on memory."""
    lines = "\n  ".join(steps)
    return f"func.func @main({ARGUMENTS}) {{\n  {lines}\n  func.return\n}}"


@pytest.mark.parametrize(
    "steps",
    [
        (DOWN_CUDA, CUDA_SYNC, DOWN_NPU, NPU_SYNC, HOST_READS),
        (UP_CUDA, UP_NPU, CUDA_SYNC, NPU_SYNC, HOST_WRITES),
        (UP_CUDA, UP_NPU, NPU_SYNC, CUDA_SYNC, HOST_WRITES),
        (UP_CUDA, UP_CUDA, UP_NPU, UP_NPU),
        (UP_CUDA, UP_NPU, HOST_READS),
        # One stream is in order.
        (UP_CUDA, DOWN_CUDA, UP_CUDA, DOWN_CUDA, CUDA_SYNC),
    ],
)
def test_orders(steps: tuple[str, ...]) -> None:
    verify_module(parse(planned(*steps)))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((DOWN_CUDA, DOWN_NPU), "overwrites a result of 'cuda' on 'npu'"),
        ((DOWN_NPU, DOWN_CUDA), "overwrites a result of 'npu' on 'cuda'"),
        ((DOWN_CUDA, NPU_SYNC, DOWN_NPU), "overwrites a result of 'cuda' on 'npu'"),
        ((DOWN_CUDA, UP_NPU), "reads a result of 'cuda' on 'npu'"),
        ((UP_CUDA, DOWN_NPU), "overwrites an input of 'cuda' on 'npu'"),
        # Both read it: a sync of one of them is not enough.
        ((UP_CUDA, UP_NPU, CUDA_SYNC, HOST_WRITES), "an input of 'npu' on the host"),
        ((UP_CUDA, UP_NPU, NPU_SYNC, HOST_WRITES), "an input of 'cuda' on the host"),
        ((UP_CUDA, UP_NPU, NPU_SYNC, DOWN_NPU), "an input of 'cuda' on 'npu'"),
        ((UP_CUDA, UP_NPU, HOST_WRITES), "an input of 'cuda' on the host"),
        ((DOWN_NPU, HOST_READS), "reads a result of 'npu' on the host"),
        ((DOWN_NPU, CUDA_SYNC, HOST_READS), "reads a result of 'npu' on the host"),
        ((UP_CUDA, DOWN_CUDA), "returns a result of 'cuda' on the host"),
        # The result that is not on the host needs no sync.
        ((DOWN_CUDA, CUDA_SYNC, UP_CUDA, DOWN_NPU), "an input of 'cuda' on 'npu'"),
        (
            (DOWN_CUDA, CUDA_SYNC, UP_CUDA, CUDA_SYNC, DOWN_NPU),
            "returns a result of 'npu' on the host",
        ),
    ],
)
def test_missing_syncs_between_two_streams(
    steps: tuple[str, ...], message: str
) -> None:
    assert message in refused(planned(*steps))


def test_two_devices_that_write_one_buffer() -> None:
    """Buffers of an arena, through views of them."""
    arena, wide = 'memref<64xi8, #dev.on<"cpu">>', 'memref<1x2xf32, #dev.on<"cpu">>'
    text = planned(
        f'%arena = plan.arena "cpu" : {arena}',
        f"%b = plan.buffer %arena id 0 offset 0 bytes 8 live 0 to 1 : {arena} -> {ON_CPU}",
        f"%v = plan.view %b : {ON_CPU} -> {wide}",
        f"plan.copy %c to %b : {ON_CUDA} to {ON_CPU}",
        f"plan.copy %m to %v : {ON_NPU.replace('2xf', '1x2xf')} to {wide}",
    ).replace(ARGUMENTS, f"{ARGUMENTS}, %m: {ON_NPU.replace('2xf', '1x2xf')}")
    assert "overwrites a result of 'cuda' on 'npu'" in refused(text)
