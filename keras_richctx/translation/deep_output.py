"""The hidden layer between a decoder's state and its vocabulary."""

import keras


class DeepOutput(keras.layers.Layer):
    r"""Joins the state, the context and the last word: $t_t = \tanh(U_o s_t + C_o c_t + V_o E y_{t-1})$.

    Narrower than the state, it is also what keeps the product with a large vocabulary cheap. The paper takes the maximum over pairs instead of the
    hyperbolic tangent, and the state before the step; the authors' later code computes this one.

    Args:
        units: integer, the width of $t_t$.
        **kwargs: passed to `keras.layers.Layer`, such as `name` and `dtype`.

    References:
        [Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473), appendix A.2.2.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.from_state = keras.layers.Dense(units, dtype=self.dtype_policy, name="from_state")
        self.from_context = keras.layers.Dense(units, use_bias=False, dtype=self.dtype_policy, name="from_context")
        self.from_word = keras.layers.Dense(units, use_bias=False, dtype=self.dtype_policy, name="from_word")

    def build(self, hidden_shape, context_shape, embedded_shape):
        self.from_state.build(hidden_shape)
        self.from_context.build(context_shape)
        self.from_word.build(embedded_shape)

    def call(self, hidden, context, embedded):
        # t_t = tanh(U_o s_t + C_o c_t + V_o E y_{t-1})
        return keras.ops.tanh(self.from_state(hidden) + self.from_context(context) + self.from_word(embedded))
