// Flash attention with VDPBF16PS: two bf16 products and their sum into a float, for every lane of 16. The
// algorithm is that of attention_kernel.h; what differs is the packing in pairs that the instruction asks
// for.
#include "engine/cpu/attention_kernel.h"
#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {
namespace {

using V = Avx512Vector;
constexpr int kLanes = 16;

int PairedTokenBytes(int head_dim) { return PaddedDim<V>(head_dim) * 2; }

// An odd head dimension is padded by a zero, on both sides of the product.
std::uint32_t PairAt(const BFloat16* row, int d, int head_dim) {
  const std::uint32_t high = d + 1 < head_dim ? row[d + 1].bits : 0u;
  return row[d].bits | high << 16;
}

// keys: [group of 16 keys][pair of channels][lane]; values: [pair of keys][padded channel], both as 32-bit
// pairs.
void PackPairs(const BFloat16* keys, const BFloat16* values, std::int64_t stride, std::int64_t count,
               int head_dim, void* packed_keys, void* packed_values) {
  const std::int64_t padded = (count + kBlockKeys - 1) / kBlockKeys * kBlockKeys;
  const int dim = PaddedDim<V>(head_dim);
  auto* k = static_cast<std::uint32_t*>(packed_keys);
  for (std::int64_t s = 0; s < padded; ++s) {
    std::uint32_t* lane = k + s / kLanes * kLanes * (dim / 2) + s % kLanes;
    for (int pair = 0; pair < dim / 2; ++pair)
      lane[pair * kLanes] =
          s < count && pair * 2 < head_dim ? PairAt(keys + s * stride, pair * 2, head_dim) : 0u;
  }
  auto* v = static_cast<std::uint32_t*>(packed_values);
  for (std::int64_t s = 0; s < padded; s += 2) {
    for (int d = 0; d < dim; ++d) {
      const std::uint32_t low = s < count && d < head_dim ? values[s * stride + d].bits : 0u;
      const std::uint32_t high = s + 1 < count && d < head_dim ? values[(s + 1) * stride + d].bits : 0u;
      v[s / 2 * dim + d] = low | high << 16;
    }
  }
}

__m512bh Pairs(const std::uint32_t* p) { return (__m512bh)_mm512_loadu_si512(p); }
__m512bh Broadcast(std::uint32_t pair) { return (__m512bh)_mm512_set1_epi32(static_cast<int>(pair)); }

// The queries' channels in pairs, copied out once a block, for rows may end at an odd channel.
void LoadQueries(const AttentionBlock& block, int pairs, std::uint32_t* q) {
  for (int r = 0; r < kBlockQueries; ++r)
    for (int p = 0; p < pairs; ++p)
      q[r * pairs + p] = PairAt(static_cast<const BFloat16*>(block.q[r]), p * 2, block.head_dim);
}

void ScoresOfPairs(const std::uint32_t* q, int pairs, const std::uint32_t* keys, int dim, float* scores) {
  for (int first = 0; first < kBlockKeys; first += 2 * kLanes) {
    __m512 sum[kBlockQueries][2];
    for (auto& row : sum) row[0] = row[1] = _mm512_setzero_ps();
    const std::uint32_t* near = keys + first * (dim / 2);
    const std::uint32_t* far = near + kLanes * (dim / 2);
    for (int p = 0; p < pairs; ++p) {
      const __m512bh k0 = Pairs(near + p * kLanes);
      const __m512bh k1 = Pairs(far + p * kLanes);
      for (int r = 0; r < kBlockQueries; ++r) {
        const __m512bh a = Broadcast(q[r * pairs + p]);
        sum[r][0] = _mm512_dpbf16_ps(sum[r][0], a, k0);
        sum[r][1] = _mm512_dpbf16_ps(sum[r][1], a, k1);
      }
    }
    for (int r = 0; r < kBlockQueries; ++r) {
      _mm512_storeu_ps(scores + r * kBlockKeys + first, sum[r][0]);
      _mm512_storeu_ps(scores + r * kBlockKeys + first + kLanes, sum[r][1]);
    }
  }
}

// kWidth vectors of channels for eight queries at a time.
template <int kWidth>
void SumsOfPairs(const std::uint32_t* weights, const std::uint32_t* values, int dim, int d,
                 const float* shrink, float* sums) {
  __m512 sum[kBlockQueries][kWidth];
  for (int r = 0; r < kBlockQueries; ++r)
    for (int j = 0; j < kWidth; ++j)
      sum[r][j] = _mm512_mul_ps(_mm512_loadu_ps(sums + r * dim + d + j * kLanes), _mm512_set1_ps(shrink[r]));
  for (int s = 0; s < kBlockKeys / 2; ++s) {
    __m512bh v[kWidth];
    for (int j = 0; j < kWidth; ++j) v[j] = Pairs(values + s * dim + d + j * kLanes);
    for (int r = 0; r < kBlockQueries; ++r) {
      const __m512bh w = Broadcast(weights[r * (kBlockKeys / 2) + s]);
      for (int j = 0; j < kWidth; ++j) sum[r][j] = _mm512_dpbf16_ps(sum[r][j], w, v[j]);
    }
  }
  for (int r = 0; r < kBlockQueries; ++r)
    for (int j = 0; j < kWidth; ++j) _mm512_storeu_ps(sums + r * dim + d + j * kLanes, sum[r][j]);
}

void WeightedSumsOfPairs(const std::uint32_t* weights, const std::uint32_t* values, int dim,
                         const float* shrink, float* sums) {
  int d = 0;
  for (; d + 3 * kLanes <= dim; d += 3 * kLanes) SumsOfPairs<3>(weights, values, dim, d, shrink, sums);
  for (; d + 2 * kLanes <= dim; d += 2 * kLanes) SumsOfPairs<2>(weights, values, dim, d, shrink, sums);
  for (; d < dim; d += kLanes) SumsOfPairs<1>(weights, values, dim, d, shrink, sums);
}

void AttendPairs(const AttentionBlock& block) {
  const int dim = PaddedDim<V>(block.head_dim);
  const int pairs = (block.head_dim + 1) / 2;
  float* scores = block.scratch;
  float* sums = scores + kBlockQueries * kBlockKeys;
  auto* q = reinterpret_cast<std::uint32_t*>(sums + kBlockQueries * dim);
  auto* weights = q + kBlockQueries * pairs;
  float largest[kBlockQueries], total[kBlockQueries], shrink[kBlockQueries];
  for (int r = 0; r < kBlockQueries; ++r) largest[r] = kMinusInfinity, total[r] = 0.0f;
  for (int i = 0; i < kBlockQueries * dim; ++i) sums[i] = 0.0f;
  LoadQueries(block, pairs, q);
  std::int64_t visible_most = 0;
  for (int r = 0; r < block.queries; ++r)
    visible_most = block.limit[r] > visible_most ? block.limit[r] : visible_most;
  for (std::int64_t s = 0; s < visible_most; s += kBlockKeys) {
    const auto* keys = static_cast<const std::uint32_t*>(block.keys) + s * (dim / 2);
    const auto* values = static_cast<const std::uint32_t*>(block.values) + s / 2 * dim;
    ScoresOfPairs(q, pairs, keys, dim, scores);
    for (int r = 0; r < kBlockQueries; ++r) {
      float* row = scores + r * kBlockKeys;
      shrink[r] = SoftmaxRow<V>(row, block.limit[r] - s, block.scale, largest[r], total[r]);
      std::uint32_t* narrow = weights + r * (kBlockKeys / 2);
      for (int i = 0; i < kBlockKeys; i += 2 * kLanes) {
        const __m512bh two = _mm512_cvtne2ps_pbh(V::Load(row + i + kLanes), V::Load(row + i));
        _mm512_storeu_si512(narrow + i / 2, (__m512i)two);
      }
    }
    WeightedSumsOfPairs(weights, values, dim, shrink, sums);
  }
  for (int r = 0; r < block.queries; ++r) {
    auto* out = static_cast<BFloat16*>(block.out[r]);
    const float inverse = 1.0f / total[r];
    for (int d = 0; d < block.head_dim; ++d) ScalarVector::Store(out + d, sums[r * dim + d] * inverse);
  }
}

}  // namespace

void InstallBf16Attention(RowKernels<BFloat16>& kernels) {
  kernels.pack = PackPairs;
  kernels.attend = AttendPairs;
  kernels.packed_token_bytes = PairedTokenBytes;
}

}  // namespace ringway::engine
