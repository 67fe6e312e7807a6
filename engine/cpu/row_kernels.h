// The row-wise kernels, written once over a vector type and compiled for each instruction set
// (kernel_table.h).
//
// Norms read their input once for the sums and once, from the cache where it fits, to apply them: group norm
// by channel sums in chunks (norm.cc), layer norm a row at a time. What does not fill a vector at the end of
// a row is done by the same code with ScalarVector. Included only by the kernels_*.cc; internal linkage as
// explained in vector_scalar.h.
#ifndef RINGWAY_ENGINE_CPU_ROW_KERNELS_H_
#define RINGWAY_ENGINE_CPU_ROW_KERNELS_H_

#include "engine/cpu/kernel_table.h"
#include "engine/cpu/vector_math.h"

namespace ringway::engine {
namespace {

// Calls body<V>(i) for whole vectors and body<ScalarVector>(i) for the rest.
template <typename V, typename Body>
void ForLanes(std::int64_t count, Body&& body) {
  std::int64_t i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes) body.template operator()<V>(i);
  for (; i < count; ++i) body.template operator()<ScalarVector>(i);
}

template <typename V, typename T>
void ChannelSums(const T* x, std::int64_t rows, std::int64_t channels, float* sums) {
  float* squares = sums + channels;
  ForLanes<V>(channels, [&]<typename L>(std::int64_t c) {
    typename L::F s = L::Load(sums + c), q = L::Load(squares + c);
    for (std::int64_t r = 0; r < rows; ++r) {
      const typename L::F v = L::Load(x + r * channels + c);
      s = L::Add(s, v);
      q = L::Fma(v, v, q);
    }
    L::Store(sums + c, s);
    L::Store(squares + c, q);
  });
}

template <typename V, typename X, typename T>
void ScaleShift(const X* x, T* out, std::int64_t rows, std::int64_t channels, const float* scale,
                const float* shift, bool silu) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const X* from = x + r * channels;
    T* to = out + r * channels;
    ForLanes<V>(channels, [&]<typename L>(std::int64_t c) {
      const typename L::F v = L::Fma(L::Load(from + c), L::Load(scale + c), L::Load(shift + c));
      L::Store(to + c, silu ? Silu<L>(v) : v);
    });
  }
}

template <typename V, typename X, typename T>
void LayerNorm(const X* x, T* out, std::int64_t rows, std::int64_t channels, const float* gamma,
               const float* beta, float epsilon, bool centred) {
  const float one_over_n = 1.0f / static_cast<float>(channels);
  for (std::int64_t r = 0; r < rows; ++r) {
    const X* from = x + r * channels;
    T* to = out + r * channels;
    float sum = 0;
    if (centred) ForLanes<V>(channels, [&]<typename L>(std::int64_t c) { sum += L::Sum(L::Load(from + c)); });
    const float mean = sum * one_over_n;
    float squares = 0;  // of the differences: no cancellation, and the row is in the first-level cache
    ForLanes<V>(channels, [&]<typename L>(std::int64_t c) {
      const typename L::F d = L::Sub(L::Load(from + c), L::Set(mean));
      squares += L::Sum(L::Mul(d, d));
    });
    const float inverse = 1.0f / __builtin_sqrtf(squares * one_over_n + epsilon);
    ForLanes<V>(channels, [&]<typename L>(std::int64_t c) {
      const typename L::F d = L::Mul(L::Sub(L::Load(from + c), L::Set(mean)), L::Set(inverse));
      L::Store(to + c, L::Fma(d, L::Load(gamma + c), L::Load(beta + c)));
    });
  }
}

template <typename V, typename T>
void Geglu(const T* x, T* out, std::int64_t rows, std::int64_t channels) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* value = x + r * 2 * channels;
    const T* gate = value + channels;
    T* to = out + r * channels;
    ForLanes<V>(channels, [&]<typename L>(std::int64_t c) {
      L::Store(to + c, L::Mul(L::Load(value + c), Gelu<L>(L::Load(gate + c))));
    });
  }
}

template <typename V, typename T>
void Activate(const T* x, T* out, std::int64_t count, Activation activation) {
  ForLanes<V>(count, [&]<typename L>(std::int64_t i) {
    L::Store(out + i, Activated<L>(L::Load(x + i), activation));
  });
}

template <typename V, typename X, typename T>
void Add(const X* x, const X* y, T* out, std::int64_t count) {
  ForLanes<V>(count,
              [&]<typename L>(std::int64_t i) { L::Store(out + i, L::Add(L::Load(x + i), L::Load(y + i))); });
}

// x * (by + one) + shift, which may be null.
template <typename V, typename X, typename T>
void ScaleRow(const X* x, const X* by, const X* shift, float one, T* out, std::int64_t count) {
  ForLanes<V>(count, [&]<typename L>(std::int64_t i) {
    const typename L::F scale = L::Add(L::Load(by + i), L::Set(one));
    const typename L::F add = shift == nullptr ? L::Set(0.0f) : L::Load(shift + i);
    L::Store(out + i, L::Fma(L::Load(x + i), scale, add));
  });
}

// Rows of pairs, each turned by the angle whose cosine and sine are a pair of `turns`.
template <typename T>
void RotateRow(const T* x, const float* turns, T* out, std::int64_t channels) {
  for (std::int64_t c = 0; c < channels; c += 2) {
    const float real = ScalarVector::Load(x + c), imaginary = ScalarVector::Load(x + c + 1);
    ScalarVector::Store(out + c, real * turns[c] - imaginary * turns[c + 1]);
    ScalarVector::Store(out + c + 1, imaginary * turns[c] + real * turns[c + 1]);
  }
}

template <typename V, typename X, typename T>
void Blend(const X* x, const X* y, float amount, T* out, std::int64_t count) {
  ForLanes<V>(count, [&]<typename L>(std::int64_t i) {
    const typename L::F b = L::Load(y + i);
    L::Store(out + i, L::Fma(L::Set(amount), L::Sub(L::Load(x + i), b), b));
  });
}

template <typename V, typename T>
void ToFloats(const T* x, float* out, std::int64_t count) {
  ForLanes<V>(count, [&]<typename L>(std::int64_t i) { L::Store(out + i, L::Load(x + i)); });
}

template <typename V, typename T>
void FromFloats(const float* x, T* out, std::int64_t count) {
  ForLanes<V>(count, [&]<typename L>(std::int64_t i) { L::Store(out + i, L::Load(x + i)); });
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_ROW_KERNELS_H_
