// Flash attention for one block of queries, in float, over any vector type.
//
// The online softmax of Milakov and Gimelshein (arXiv:1805.02867) as FlashAttention uses it (Dao et al.,
// arXiv:2205.14135): keys come in blocks of 64; for each query the largest score so far, the sum of
// exponentials and the weighted sum of values are kept, and rescaled when a block raises the maximum, so the
// scores of all keys are never stored. Keys are packed so that a vector holds one channel of kLanes keys,
// values as they are, padded; both are packed once a head and then read by every query. Exact up to rounding;
// O(queries x keys x head_dim).
#ifndef RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_
#define RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_

#include "engine/cpu/kernel_table.h"
#include "engine/cpu/vector_math.h"

namespace ringway::engine {
namespace {

constexpr int kBlockQueries = AttentionBlock::kQueries;
constexpr int kBlockKeys = AttentionBlock::kKeys;
constexpr float kMinusInfinity = -3.0e38f;

template <typename V>
constexpr int PaddedDim(int head_dim) {
  return (head_dim + V::kLanes - 1) / V::kLanes * V::kLanes;
}

template <typename V>
int PackedTokenBytes(int head_dim) {
  return PaddedDim<V>(head_dim) * static_cast<int>(sizeof(float));
}

// keys: [group of kLanes keys][channel][lane]; values: [key][padded channel]. Padding is zero.
template <typename V, typename T>
void Pack(const T* keys, const T* values, std::int64_t stride, std::int64_t count, int head_dim,
          void* packed_keys, void* packed_values) {
  const std::int64_t padded = (count + kBlockKeys - 1) / kBlockKeys * kBlockKeys;
  const int dim = PaddedDim<V>(head_dim);
  auto* k = static_cast<float*>(packed_keys);
  auto* v = static_cast<float*>(packed_values);
  for (std::int64_t s = 0; s < padded; ++s) {
    float* k_lane = k + s / V::kLanes * V::kLanes * dim + s % V::kLanes;
    for (int d = 0; d < dim; ++d) {
      const bool inside = s < count && d < head_dim;
      k_lane[d * V::kLanes] = inside ? ScalarVector::Load(keys + s * stride + d) : 0.0f;
      v[s * dim + d] = inside ? ScalarVector::Load(values + s * stride + d) : 0.0f;
    }
  }
}

// scores[r][0..64) = q[r] . keys; one or two vectors of keys for eight queries stay in registers.
template <typename V, typename T>
void Scores(const AttentionBlock& block, const float* keys, int dim, float* scores) {
  constexpr int kVectors = V::kLanes == 16 ? 2 : 1;  // as many registers as there are
  for (int first = 0; first < kBlockKeys; first += kVectors * V::kLanes) {
    typename V::F sum[kBlockQueries][kVectors];
    for (auto& row : sum)
      for (auto& s : row) s = V::Set(0.0f);
    const float* group = keys + static_cast<std::int64_t>(first) * dim;
    for (int d = 0; d < block.head_dim; ++d) {
      typename V::F k[kVectors];
      for (int j = 0; j < kVectors; ++j) k[j] = V::Load(group + (j * dim + d) * V::kLanes);
      for (int r = 0; r < kBlockQueries; ++r) {
        const typename V::F q = V::Set(ScalarVector::Load(static_cast<const T*>(block.q[r]) + d));
        for (int j = 0; j < kVectors; ++j) sum[r][j] = V::Fma(q, k[j], sum[r][j]);
      }
    }
    for (int r = 0; r < kBlockQueries; ++r)
      for (int j = 0; j < kVectors; ++j) V::Store(scores + r * kBlockKeys + first + j * V::kLanes, sum[r][j]);
  }
}

// Turns scores into exponentials, keeps the running maximum and sum; returns by how much earlier sums must
// shrink.
template <typename V>
float SoftmaxRow(float* scores, std::int64_t visible, float scale, float& largest, float& total) {
  for (std::int64_t s = visible < 0 ? 0 : visible; s < kBlockKeys; ++s) scores[s] = kMinusInfinity;
  typename V::F most = V::Set(kMinusInfinity);
  for (int s = 0; s < kBlockKeys; s += V::kLanes) most = V::Max(most, V::Load(scores + s));
  const float block_largest = V::Largest(most) * scale;
  float shrink = 1.0f;
  if (block_largest > largest) {
    shrink = largest <= kMinusInfinity ? 0.0f : Exp<ScalarVector>(largest - block_largest);
    largest = block_largest;
  }
  typename V::F sum = V::Set(0.0f);
  for (int s = 0; s < kBlockKeys; s += V::kLanes) {
    const typename V::F e = Exp<V>(V::Fma(V::Load(scores + s), V::Set(scale), V::Set(-largest)));
    V::Store(scores + s, e);
    sum = V::Add(sum, e);
  }
  for (std::int64_t s = visible < 0 ? 0 : visible; s < kBlockKeys; ++s) scores[s] = 0.0f;
  total = total * shrink + (visible >= kBlockKeys ? V::Sum(sum) : 0.0f);
  if (visible < kBlockKeys)
    for (std::int64_t s = 0; s < visible; ++s) total += scores[s];
  return shrink;
}

// sums[r][d] = sums[r][d] * shrink[r] + weights[r] . values
template <typename V>
void WeightedSums(const float* weights, const float* values, int dim, const float* shrink, float* sums) {
  for (int d = 0; d < dim; d += V::kLanes) {
    typename V::F sum[kBlockQueries];
    for (int r = 0; r < kBlockQueries; ++r) sum[r] = V::Mul(V::Load(sums + r * dim + d), V::Set(shrink[r]));
    for (int s = 0; s < kBlockKeys; ++s) {
      const typename V::F v = V::Load(values + static_cast<std::int64_t>(s) * dim + d);
      for (int r = 0; r < kBlockQueries; ++r) sum[r] = V::Fma(V::Set(weights[r * kBlockKeys + s]), v, sum[r]);
    }
    for (int r = 0; r < kBlockQueries; ++r) V::Store(sums + r * dim + d, sum[r]);
  }
}

template <typename V, typename T>
void Attend(const AttentionBlock& block) {
  const int dim = PaddedDim<V>(block.head_dim);
  float* scores = block.scratch;
  float* sums = scores + kBlockQueries * kBlockKeys;
  float largest[kBlockQueries], total[kBlockQueries], shrink[kBlockQueries];
  for (int r = 0; r < kBlockQueries; ++r) largest[r] = kMinusInfinity, total[r] = 0.0f;
  for (int i = 0; i < kBlockQueries * dim; ++i) sums[i] = 0.0f;
  std::int64_t visible_most = 0;
  for (int r = 0; r < block.queries; ++r)
    visible_most = block.limit[r] > visible_most ? block.limit[r] : visible_most;
  for (std::int64_t s = 0; s < visible_most; s += kBlockKeys) {
    Scores<V, T>(block, static_cast<const float*>(block.keys) + s * dim, dim, scores);
    for (int r = 0; r < kBlockQueries; ++r)
      shrink[r] =
          SoftmaxRow<V>(scores + r * kBlockKeys, block.limit[r] - s, block.scale, largest[r], total[r]);
    WeightedSums<V>(scores, static_cast<const float*>(block.values) + s * dim, dim, shrink, sums);
  }
  for (int r = 0; r < block.queries; ++r) {
    T* out = static_cast<T*>(block.out[r]);
    const float inverse = 1.0f / total[r];
    for (int d = 0; d < block.head_dim; ++d) ScalarVector::Store(out + d, sums[r * dim + d] * inverse);
  }
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_
