// Flash attention for one block of queries, in float, over any vector type.
//
// The online softmax of Milakov and Gimelshein (arXiv:1805.02867) as FlashAttention uses it (Dao et al.,
// arXiv:2205.14135): keys come in blocks of 192; for each query the largest score so far, the sum of
// exponentials and the weighted sum of values are kept, and rescaled when a block raises the maximum, so the
// scores of all keys are never stored. A block of keys is read by all queries, eight after eight, while it is
// in the first cache. Keys are packed so that a vector holds one channel of kLanes keys, values as they are,
// padded to 16 keys; both are packed once a head and then read by every query. Exact up to rounding;
// O(queries x keys x head_dim).
#ifndef RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_
#define RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_

#include "engine/cpu/kernel_table.h"
#include "engine/cpu/vector_math.h"

namespace ringway::engine {
namespace {

constexpr int kRows = AttentionBlock::kRows;
constexpr int kBlockKeys = AttentionBlock::kKeysMax;
constexpr int kKeyGroup = AttentionBlock::kKeyGroup;
constexpr float kMinusInfinity = -1.0e38f;  // far below any score, and scaled or added up still a number

template <typename V>
constexpr int PaddedDim(int head_dim) {
  return (head_dim + V::kLanes - 1) / V::kLanes * V::kLanes;
}

// Keys of the block that starts at `first`, padding included.
inline int BlockWidth(std::int64_t key_count, std::int64_t first) {
  const std::int64_t left = (key_count - first + kKeyGroup - 1) / kKeyGroup * kKeyGroup;
  return static_cast<int>(left < kBlockKeys ? left : kBlockKeys);
}

template <typename V>
int PackedTokenBytes(int head_dim) {
  return PaddedDim<V>(head_dim) * static_cast<int>(sizeof(float));
}

// keys: [group of kLanes keys][channel][lane]; values: [key][padded channel]. Padding is zero.
template <typename V, typename T>
void Pack(const T* keys, const T* values, std::int64_t stride, std::int64_t count, int head_dim,
          void* packed_keys, void* packed_values) {
  const std::int64_t padded = (count + kKeyGroup - 1) / kKeyGroup * kKeyGroup;
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

// scores[r][first, first + kVectors * kLanes) = q[row + r] . keys, in registers.
template <typename V, typename T, int kVectors>
void ScoresAt(const AttentionBlock& block, int row, const float* keys, int dim, int first, float* scores) {
  typename V::F sum[kRows][kVectors];
  for (auto& sums : sum)
    for (auto& s : sums) s = V::Set(0.0f);
  const float* group = keys + static_cast<std::int64_t>(first) * dim;
  for (int d = 0; d < block.head_dim; ++d) {
    typename V::F k[kVectors];
    for (int j = 0; j < kVectors; ++j) k[j] = V::Load(group + (j * dim + d) * V::kLanes);
    for (int r = 0; r < kRows; ++r) {
      const typename V::F q = V::Set(ScalarVector::Load(static_cast<const T*>(block.q[row + r]) + d));
      for (int j = 0; j < kVectors; ++j) sum[r][j] = V::Fma(q, k[j], sum[r][j]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int j = 0; j < kVectors; ++j) V::Store(scores + r * kBlockKeys + first + j * V::kLanes, sum[r][j]);
}

template <typename V, typename T>
void Scores(const AttentionBlock& block, int row, const float* keys, int dim, int width, float* scores) {
  constexpr int kVectors = V::kRegisters == 32 ? 2 : 1;
  int first = 0;
  for (; first + kVectors * V::kLanes <= width; first += kVectors * V::kLanes)
    ScoresAt<V, T, kVectors>(block, row, keys, dim, first, scores);
  for (; first < width; first += V::kLanes) ScoresAt<V, T, 1>(block, row, keys, dim, first, scores);
}

// Adds minus infinity to the lanes from `visible` on. By whole vectors: a vector cannot be loaded soon after
// parts of it were stored.
template <typename V>
void Hide(float* scores, int width, std::int64_t visible) {
  static constexpr float kHidden[32] = {0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        0,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity,
                                        kMinusInfinity};
  const std::int64_t first = visible < 0 ? 0 : visible / V::kLanes * V::kLanes;
  for (std::int64_t s = first; s < width; s += V::kLanes) {
    const std::int64_t seen = visible > s ? visible - s : 0;
    V::Store(scores + s, V::Add(V::Load(scores + s), V::Load(kHidden + 16 - (seen < 16 ? seen : 16))));
  }
}

// Hides what the query may not see and keeps the running maximum; returns by how much earlier sums must
// shrink. What is hidden becomes exp(-87), which is nothing beside the maximum's 1.
template <typename V>
float RaiseMaximum(float* scores, int width, std::int64_t visible, float scale, float& largest) {
  if (visible < width) Hide<V>(scores, width, visible);
  typename V::F most = V::Load(scores);
  for (int s = V::kLanes; s < width; s += V::kLanes) most = V::Max(most, V::Load(scores + s));
  const float block_largest = V::Largest(most) * scale;
  if (block_largest <= largest) return 1.0f;
  const float shrink = largest <= kMinusInfinity ? 0.0f : Exp<ScalarVector>(largest - block_largest);
  largest = block_largest;
  return shrink;
}

// Turns scores into exponentials, keeps the running maximum and sum.
template <typename V>
float SoftmaxRow(float* scores, int width, std::int64_t visible, float scale, float& largest, float& total) {
  const float shrink = RaiseMaximum<V>(scores, width, visible, scale, largest);
  typename V::F sum = V::Set(0.0f);
  for (int s = 0; s < width; s += V::kLanes) {
    const typename V::F e = Exp<V>(V::Fma(V::Load(scores + s), V::Set(scale), V::Set(-largest)));
    V::Store(scores + s, e);
    sum = V::Add(sum, e);
  }
  total = total * shrink + V::Sum(sum);
  return shrink;
}

// sums[r][d] = sums[r][d] * shrink[r] + weights[r] . values
template <typename V>
void WeightedSums(const float* weights, const float* values, int dim, int width, const float* shrink,
                  float* sums) {
  for (int d = 0; d < dim; d += V::kLanes) {
    typename V::F sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = V::Mul(V::Load(sums + r * dim + d), V::Set(shrink[r]));
    for (int s = 0; s < width; ++s) {
      const typename V::F v = V::Load(values + static_cast<std::int64_t>(s) * dim + d);
      for (int r = 0; r < kRows; ++r) sum[r] = V::Fma(V::Set(weights[r * kBlockKeys + s]), v, sum[r]);
    }
    for (int r = 0; r < kRows; ++r) V::Store(sums + r * dim + d, sum[r]);
  }
}

template <typename V>
void AddBias(const float* bias, std::int64_t first, int width, float* scores) {
  if (bias == nullptr) return;
  for (int s = 0; s < width; s += V::kLanes)
    V::Store(scores + s, V::Add(V::Load(scores + s), V::Load(bias + first + s)));
}

inline std::int64_t MostVisible(const AttentionBlock& block) {
  std::int64_t most = 0;
  for (int r = 0; r < block.queries; ++r) most = block.limit[r] > most ? block.limit[r] : most;
  return most;
}

// Queries of the block in whole rows; what pads it is looked at and not written.
inline int WholeRows(const AttentionBlock& block) { return (block.queries + kRows - 1) / kRows * kRows; }

template <typename V, typename T>
void StoreSums(const AttentionBlock& block, int r, const float* sums, float total) {
  T* out = static_cast<T*>(block.out[r]);
  const float inverse = 1.0f / total;
  int d = 0;
  for (; d + V::kLanes <= block.head_dim; d += V::kLanes)
    V::Store(out + d, V::Mul(V::Load(sums + d), V::Set(inverse)));
  for (; d < block.head_dim; ++d) ScalarVector::Store(out + d, sums[d] * inverse);
}

template <typename V, typename T>
void Attend(const AttentionBlock& block) {
  const int dim = PaddedDim<V>(block.head_dim), queries = WholeRows(block);
  float* scores = block.scratch;
  float* sums = scores + kRows * kBlockKeys;
  float largest[AttentionBlock::kQueries], total[AttentionBlock::kQueries], shrink[kRows];
  for (int r = 0; r < queries; ++r) largest[r] = kMinusInfinity, total[r] = 0.0f;
  for (int i = 0; i < queries * dim; ++i) sums[i] = 0.0f;
  const std::int64_t visible_most = MostVisible(block);
  for (std::int64_t s = 0; s < visible_most; s += kBlockKeys) {
    const float* keys = static_cast<const float*>(block.keys) + s * dim;
    const float* values = static_cast<const float*>(block.values) + s * dim;
    const int width = BlockWidth(block.key_count, s);
    for (int row = 0; row < queries; row += kRows) {
      Scores<V, T>(block, row, keys, dim, width, scores);
      for (int r = 0; r < kRows; ++r) {
        AddBias<V>(block.bias[row + r], s, width, scores + r * kBlockKeys);
        shrink[r] = SoftmaxRow<V>(scores + r * kBlockKeys, width, block.limit[row + r] - s, block.scale,
                                  largest[row + r], total[row + r]);
      }
      WeightedSums<V>(scores, values, dim, width, shrink, sums + row * dim);
    }
  }
  for (int r = 0; r < block.queries; ++r) StoreSums<V, T>(block, r, sums + r * dim, total[r]);
}

}  // namespace
}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CPU_ATTENTION_KERNEL_H_
