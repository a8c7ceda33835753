"""Operators that a compiled program cannot contain, or that have no kernel, with the reason.

The importer quotes the reason in its message, and the documentation lists the table. An
operator that is in no table is refused as unknown.
"""

from __future__ import annotations

from devproc.frontends.torch_export.graph.builder import overloads
from devproc.frontends.torch_export.graph.problems import Refusal

RANDOM = "it draws random numbers; a compiled program depends on its inputs alone"
NUMBER = (
    "its number depends on an input or on state that the program writes, so that it is "
    "known only at run time"
)
DATA_DEPENDENT = "the shape of its result depends on the values of its operands"
TRAINING = "it belongs to training; only inference is compiled"
FACTORIZATION = "factorizations and solvers of matrices are not supported"
SPECIAL = "this special function is not supported"
SYMBOLIC = (
    "sizes and strides are known at compile time; only static shapes are supported"
)
MEMORY = (
    "it changes or reads how a tensor lies in memory, which a compiled program plans"
)

REMEDIES: dict[str, str] = {
    RANDOM: "draw them outside and give them to the program as an input",
    NUMBER: "compute with tensors (torch.where, a mask), or give the number to the model "
    "as a Python argument, which the export fixes",
    DATA_DEPENDENT: "compute with a mask of the full shape (torch.where with three "
    "arguments), or do this step outside of the compiled program",
    TRAINING: "export the model with model.eval() and without gradients",
    FACTORIZATION: "compute it before export where it is of weights, else outside of "
    "the compiled program",
    SPECIAL: "express it through supported operators, or compute it outside of the "
    "compiled program",
    SYMBOLIC: "export without dynamic_shapes, once for each shape that is needed",
    MEMORY: "use reshape, slicing or indexing",
}
"""Reason -> what the user can do."""


def _each(reason: str, names: str) -> dict[str, str]:
    """A reason for each operator; see `overloads`."""
    return dict.fromkeys(overloads(names), reason)


REFUSED: dict[str, str] = {
    **_each(
        RANDOM,
        "bernoulli bernoulli.Tensor bernoulli.p binomial cauchy exponential geometric "
        "log_normal multinomial normal.Tensor_Tensor "
        "normal.Tensor_float normal.float_Tensor normal.float_float normal_functional "
        "poisson rand rand.generator rand_like randint randint.generator randint.low "
        "randint.low_generator randint_like randint_like.Tensor randint_like.low_dtype "
        "randn randn.generator randn_like random random.from random.to randperm "
        "randperm.generator rrelu_with_noise rrelu_with_noise_functional "
        "_standard_gamma _sample_dirichlet uniform",
    ),
    **_each(
        NUMBER,
        "_local_scalar_dense allclose equal is_nonzero item",
    ),
    **_each(
        DATA_DEPENDENT,
        "_unique _unique2 argwhere bincount combinations histogram.bins_tensor "
        "histogramdd masked_select nonzero nonzero_numpy "
        "repeat_interleave.Tensor tensor_split.tensor_indices_or_sections "
        "unique_consecutive unique_dim unique_dim_consecutive where",
    ),
    **_each(
        TRAINING,
        "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward "
        "_log_softmax_backward_data _softmax_backward_data avg_pool2d_backward "
        "avg_pool3d_backward convolution_backward elu_backward embedding_dense_backward "
        "gelu_backward hardsigmoid_backward hardswish_backward hardtanh_backward "
        "leaky_relu_backward log_sigmoid_backward max_pool2d_with_indices_backward "
        "max_pool3d_with_indices_backward native_batch_norm_backward "
        "native_dropout_backward native_group_norm_backward native_layer_norm_backward "
        "nll_loss_backward mse_loss_backward sigmoid_backward silu_backward "
        "softplus_backward tanh_backward threshold_backward upsample_bilinear2d_backward "
        "upsample_nearest2d_backward _batch_norm_with_update "
        "_batch_norm_with_update_functional",
    ),
    **_each(
        FACTORIZATION,
        "_linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd "
        "_lu_with_info cholesky cholesky_inverse cholesky_solve det geqrf inverse "
        "linalg_cholesky linalg_cholesky_ex linalg_det linalg_eig linalg_eigh "
        "linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_ldl_factor "
        "linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor "
        "linalg_lu_factor_ex linalg_lu_solve linalg_matrix_exp linalg_pinv "
        "linalg_pinv.atol_rtol_float linalg_pinv.atol_rtol_tensor linalg_qr "
        "linalg_slogdet linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd "
        "linalg_svdvals logdet lu_solve lu_unpack matrix_exp ormqr pinverse qr slogdet "
        "svd triangular_solve",
    ),
    **_each(
        SPECIAL,
        "igamma igammac special_airy_ai special_bessel_j0 special_bessel_j1 "
        "special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t "
        "special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
        "special_chebyshev_polynomial_w special_gammainc special_gammaincc "
        "special_hermite_polynomial_h special_hermite_polynomial_he "
        "special_laguerre_polynomial_l special_legendre_polynomial_p "
        "special_modified_bessel_k0 special_modified_bessel_k1 "
        "special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 "
        "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
        "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w "
        "special_spherical_bessel_j0 special_zeta special_zeta.other_scalar "
        "special_zeta.self_scalar",
    ),
    **_each(
        SYMBOLIC,
        "sym_is_contiguous sym_numel sym_size sym_size.int sym_storage_offset sym_stride "
        "sym_stride.int",
    ),
    **_each(MEMORY, "resize resize_ resize_as resize_as_ set.source_Tensor"),
}
"""ATen overload -> the reason why it is refused."""


def refusal(name: str) -> Refusal | None:
    """The refusal of an operator of the table."""
    reason = REFUSED.get(name)
    return None if reason is None else Refusal(reason, REMEDIES[reason])
