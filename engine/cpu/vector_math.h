// exp, silu, gelu and their like on any vector type: polynomials, accurate to a few units in the last place.
//
// exp: Cody-Waite reduction by ln 2 in two parts and the degree-6 minimax polynomial of Cephes (Moshier);
// relative error below 2e-7 on [-87, 88], clamped outside. erf: Abramowitz and Stegun 7.1.26, absolute error
// below 2e-7, which gelu multiplies by x/2. Internal linkage for the reason given in vector_scalar.h.
#ifndef RINGWAY_ENGINE_CPU_VECTOR_MATH_H_
#define RINGWAY_ENGINE_CPU_VECTOR_MATH_H_

#include "engine/cpu/vector_scalar.h"
#include "engine/graph/op.h"

namespace ringway::engine {
namespace {

template <typename V>
typename V::F Exp(typename V::F x) {
  x = V::Min(V::Max(x, V::Set(-87.0f)), V::Set(88.0f));
  const typename V::F n = V::Round(V::Mul(x, V::Set(1.44269504f)));
  typename V::F r = V::Fma(n, V::Set(-0.693359375f), x);
  r = V::Fma(n, V::Set(2.12194440e-4f), r);
  typename V::F p = V::Set(1.9875691500e-4f);
  p = V::Fma(p, r, V::Set(1.3981999507e-3f));
  p = V::Fma(p, r, V::Set(8.3334519073e-3f));
  p = V::Fma(p, r, V::Set(4.1665795894e-2f));
  p = V::Fma(p, r, V::Set(1.6666665459e-1f));
  p = V::Fma(p, r, V::Set(5.0000001201e-1f));
  p = V::Add(V::Fma(V::Mul(r, r), p, r), V::Set(1.0f));
  return V::Mul(p, V::Pow2(n));
}

template <typename V>
typename V::F Sigmoid(typename V::F x) {
  return V::Div(V::Set(1.0f), V::Add(V::Set(1.0f), Exp<V>(V::Sub(V::Set(0.0f), x))));
}

template <typename V>
typename V::F Silu(typename V::F x) {
  return V::Div(x, V::Add(V::Set(1.0f), Exp<V>(V::Sub(V::Set(0.0f), x))));
}

template <typename V>
typename V::F Gelu(typename V::F x) {
  const typename V::F z = V::Mul(V::Abs(x), V::Set(0.70710678f));
  const typename V::F t = V::Div(V::Set(1.0f), V::Fma(z, V::Set(0.3275911f), V::Set(1.0f)));
  typename V::F p = V::Set(1.061405429f);
  p = V::Fma(p, t, V::Set(-1.453152027f));
  p = V::Fma(p, t, V::Set(1.421413741f));
  p = V::Fma(p, t, V::Set(-0.284496736f));
  p = V::Fma(p, t, V::Set(0.254829592f));
  const typename V::F tail = V::Mul(V::Mul(p, t), Exp<V>(V::Sub(V::Set(0.0f), V::Mul(z, z))));
  const typename V::F erf = V::WithSign(V::Sub(V::Set(1.0f), tail), x);
  return V::Mul(V::Mul(x, V::Set(0.5f)), V::Add(V::Set(1.0f), erf));
}

// gelu by its approximation with a tanh (Hendrycks and Gimpel, arXiv:1606.08415): (1 + tanh(y)) / 2 is the
// sigmoid of 2 y.
template <typename V>
typename V::F GeluTanh(typename V::F x) {
  const typename V::F cubed = V::Fma(V::Mul(V::Mul(x, x), x), V::Set(0.044715f), x);
  return V::Mul(x, Sigmoid<V>(V::Mul(cubed, V::Set(1.59576912f))));
}

template <typename V>
typename V::F Activated(typename V::F x, Activation activation) {
  switch (activation) {
    case Activation::kSilu:
      return Silu<V>(x);
    case Activation::kGelu:
      return Gelu<V>(x);
    case Activation::kQuickGelu:
      return V::Mul(x, Sigmoid<V>(V::Mul(x, V::Set(1.702f))));
    case Activation::kSigmoid:
      return Sigmoid<V>(x);
    case Activation::kRelu:
      return V::Max(x, V::Set(0.0f));
    case Activation::kGeluTanh:
      return GeluTanh<V>(x);
    case Activation::kNone:
      break;
  }
  return x;
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_VECTOR_MATH_H_
