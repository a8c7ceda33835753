"""Malformed loops over steps."""

H, X = "tensor<8xf32>", "tensor<3x8xf32>"
YIELD = f"nn.yield carry (%h : {H}) stack (%a : {H})"


def loop(
    *,
    steps: int = 3,
    reverse: int = 0,
    final: str = H,
    stacked: str = X,
    arguments: str = f"%a: {H}, %h: {H}",
    body: str = YIELD,
) -> str:
    """A loop over `%x` that carries `%s`, with one part wrong."""
    names = "%e, %t" if stacked else "%e"
    return f"""
func.func @main(%x: {X}, %s: {H}) {{
  {names} = nn.loop steps {steps} reverse {reverse} over (%x : {X}) carry (%s : {H})
      with () -> ({final}) stack ({stacked}) {{
  ^bb0({arguments}):
    {body}
  }}
  func.return
}}"""


WIDER = f"""%n = nn.reshape %h to [1, 8] : ({H}) -> tensor<1x8xf32>
    nn.yield carry (%n : tensor<1x8xf32>) stack (%a : {H})"""

LOOPS = {
    "negative steps": (loop(steps=-1), "nn.loop has -1 steps; expected 0 or more"),
    "direction": (loop(reverse=2), "reverse must be 0 or 1, got 2"),
    "steps of a sequence": (
        loop(steps=4),
        "a sequence of nn.loop is float32 (3, 8): its first axis must have the 4 steps",
    ),
    "number of arguments": (
        loop(arguments=f"%h: {H}", body=YIELD.replace("%a", "%h")),
        "nn.loop needs 2 block arguments, got 1",
    ),
    "type of an argument": (
        loop(arguments=f"%b: tensor<9xf32>, %h: {H}", body=YIELD.replace("%a", "%h")),
        "block argument 0 of nn.loop must be tensor<8xf32>, got tensor<9xf32>",
    ),
    "terminator": (
        loop(body=f"dev.yield %h : {H}"),
        "the body of nn.loop must end in nn.yield",
    ),
    "type of a carried value": (
        loop(body=WIDER),
        "carried value 0 of nn.loop must be tensor<8xf32>, got tensor<1x8xf32>",
    ),
    "type of a final result": (
        loop(final="tensor<8xf64>"),
        "final result 0 of nn.loop must be tensor<8xf32>, got tensor<8xf64>",
    ),
    "type of a stacked result": (
        loop(stacked="tensor<8x3xf32>"),
        "stacked result 0 of nn.loop must be tensor<3x8xf32>, got tensor<8x3xf32>",
    ),
    "number of stacked results": (
        loop(stacked=""),
        "nn.loop needs 1 stacked results, got 0",
    ),
    "value from outside": (
        loop(body=YIELD.replace("%h", "%s")),
        "value defined out of its IsolatedFromAbove parent",
    ),
}
"""name -> program and message."""
