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

// Of 16 rows of 16 words, the columns.
void Transpose(__m512i* r) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    for (int half = 0; half < 2; ++half) {
      r[i + 2 * half] = _mm512_unpacklo_epi64(t[i + half], t[i + 2 + half]);
      r[i + 2 * half + 1] = _mm512_unpackhi_epi64(t[i + half], t[i + 2 + half]);
    }
  }
  // Now quarter q of r[i + j] holds column 4q + j of rows i to i + 3.
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0x88);
    t[4 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0x88);
    t[8 + j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0xdd);
    t[12 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0xdd);
  }
  for (int j = 0; j < 4; ++j) {
    r[j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0x88);
    r[8 + j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0xdd);
    r[4 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0x88);
    r[12 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0xdd);
  }
}

__m128i Eight(const BFloat16* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
__m256i Sixteen(const BFloat16* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

// The channels [d, d + 32) of a row as 16 pairs; zero beyond the head, so an odd one is padded on both sides
// of the product. Loads of words under a mask take long on some processors, so the usual sizes do without.
__m512i ChannelPairs(const BFloat16* row, int d, int head_dim) {
  const int left = head_dim - d;
  if (left >= 32) return _mm512_loadu_si512(row + d);
  if (left == 8) return _mm512_zextsi128_si512(Eight(row + d));
  if (left == 16) return _mm512_zextsi256_si512(Sixteen(row + d));
  if (left == 24) return _mm512_inserti32x4(_mm512_zextsi256_si512(Sixteen(row + d)), Eight(row + d + 16), 2);
  return _mm512_maskz_loadu_epi16((__mmask32{1} << (left > 0 ? left : 0)) - 1, row + d);
}

// Channels [d, d + 16) of two rows, interleaved.
__m512i RowPairs(const BFloat16* first, const BFloat16* second, int d, int head_dim) {
  const int left = head_dim - d;
  const auto inside = static_cast<__mmask16>(left >= 16 ? 0xffff : (1 << (left > 0 ? left : 0)) - 1);
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(inside, first + d));
  if (second == nullptr) return low;
  const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(inside, second + d));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

// keys: [group of 16 keys][pair of channels][lane]; values: [pair of keys][padded channel], both as 32-bit
// pairs.
void PackPairs(const BFloat16* keys, const BFloat16* values, std::int64_t stride, std::int64_t count,
               int head_dim, void* packed_keys, void* packed_values) {
  const int dim = PaddedDim<V>(head_dim);
  auto* k = static_cast<std::uint32_t*>(packed_keys);
  auto* v = static_cast<std::uint32_t*>(packed_values);
  for (std::int64_t group = 0; group < count; group += kLanes, k += kLanes * dim / 2, v += kLanes / 2 * dim) {
    for (int d = 0; d < dim; d += 32) {
      __m512i rows[kLanes];
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        rows[lane] = group + lane < count ? ChannelPairs(keys + (group + lane) * stride, d, head_dim)
                                          : _mm512_setzero_si512();
      Transpose(rows);
      for (int pair = 0; pair < 16 && d / 2 + pair < dim / 2; ++pair)
        _mm512_storeu_si512(k + (d / 2 + pair) * kLanes, rows[pair]);
    }
    for (std::int64_t s = group; s < group + kLanes; s += 2) {
      const BFloat16* first = values + s * stride;
      const BFloat16* second = s + 1 < count ? first + stride : nullptr;
      for (int d = 0; d < dim; d += kLanes)
        _mm512_storeu_si512(v + (s - group) / 2 * dim + d,
                            s < count ? RowPairs(first, second, d, head_dim) : _mm512_setzero_si512());
    }
  }
}

__m512bh Pairs(const std::uint32_t* p) { return (__m512bh)_mm512_loadu_si512(p); }
__m512bh Broadcast(std::uint32_t pair) { return (__m512bh)_mm512_set1_epi32(static_cast<int>(pair)); }

// Words from one query to the next in scratch: whole vectors.
int QueryPitch(int head_dim) { return (head_dim + 31) / 32 * 16; }

// The queries' channels in pairs, copied out once a block, for rows may end at an odd channel.
void LoadQueries(const AttentionBlock& block, std::uint32_t* q) {
  const int pitch = QueryPitch(block.head_dim);
  for (int r = 0; r < kBlockQueries; ++r)
    for (int d = 0; d < block.head_dim; d += 32)
      _mm512_storeu_si512(q + r * pitch + d / 2,
                          ChannelPairs(static_cast<const BFloat16*>(block.q[r]), d, block.head_dim));
}

template <int kVectors>
void ScoresOfPairsAt(const std::uint32_t* q, int head_dim, const std::uint32_t* keys, int first,
                     float* scores) {
  const int dim = PaddedDim<V>(head_dim), pitch = QueryPitch(head_dim);
  __m512 sum[kBlockQueries][kVectors];
  for (auto& row : sum)
    for (auto& s : row) s = _mm512_setzero_ps();
  const std::uint32_t* group = keys + first * (dim / 2);
  for (int p = 0; p < (head_dim + 1) / 2; ++p) {
    __m512bh k[kVectors];
    for (int j = 0; j < kVectors; ++j) k[j] = Pairs(group + (j * (dim / 2) + p) * kLanes);
    for (int r = 0; r < kBlockQueries; ++r) {
      const __m512bh a = Broadcast(q[r * pitch + p]);
      for (int j = 0; j < kVectors; ++j) sum[r][j] = _mm512_dpbf16_ps(sum[r][j], a, k[j]);
    }
  }
  for (int r = 0; r < kBlockQueries; ++r)
    for (int j = 0; j < kVectors; ++j)
      _mm512_storeu_ps(scores + r * kBlockKeys + first + j * kLanes, sum[r][j]);
}

void ScoresOfPairs(const std::uint32_t* q, int head_dim, const std::uint32_t* keys, int width,
                   float* scores) {
  int first = 0;
  for (; first + 3 * kLanes <= width; first += 3 * kLanes)
    ScoresOfPairsAt<3>(q, head_dim, keys, first, scores);
  for (; first + 2 * kLanes <= width; first += 2 * kLanes)
    ScoresOfPairsAt<2>(q, head_dim, keys, first, scores);
  for (; first < width; first += kLanes) ScoresOfPairsAt<1>(q, head_dim, keys, first, scores);
}

// Scores become exponentials, narrowed to pairs of neighbouring keys.
float SoftmaxPairs(float* scores, int width, std::int64_t visible, float scale, float& largest, float& total,
                   std::uint32_t* weights) {
  const float shrink = RaiseMaximum<V>(scores, width, visible, scale, largest);
  const __m512 by = V::Set(scale), least = V::Set(-largest);
  __m512 sum = _mm512_setzero_ps();
  int s = 0;
  for (; s + 2 * kLanes <= width; s += 2 * kLanes) {
    const __m512 near = Exp<V>(V::Fma(V::Load(scores + s), by, least));
    const __m512 far = Exp<V>(V::Fma(V::Load(scores + s + kLanes), by, least));
    sum = V::Add(sum, V::Add(near, far));
    _mm512_storeu_si512(weights + s / 2, (__m512i)_mm512_cvtne2ps_pbh(far, near));
  }
  if (s < width) {
    const __m512 last = Exp<V>(V::Fma(V::Load(scores + s), by, least));
    sum = V::Add(sum, last);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + s / 2), (__m256i)_mm512_cvtneps_pbh(last));
  }
  total = total * shrink + V::Sum(sum);
  return shrink;
}

// kWidth vectors of channels for eight queries at a time.
template <int kWidth>
void SumsOfPairs(const std::uint32_t* weights, const std::uint32_t* values, int dim, int width, int d,
                 const float* shrink, float* sums) {
  __m512 sum[kBlockQueries][kWidth];
  for (int r = 0; r < kBlockQueries; ++r)
    for (int j = 0; j < kWidth; ++j)
      sum[r][j] = _mm512_mul_ps(_mm512_loadu_ps(sums + r * dim + d + j * kLanes), _mm512_set1_ps(shrink[r]));
  for (int s = 0; s < width / 2; ++s) {
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

void WeightedSumsOfPairs(const std::uint32_t* weights, const std::uint32_t* values, int dim, int width,
                         const float* shrink, float* sums) {
  int d = 0;
  for (; d + 3 * kLanes <= dim; d += 3 * kLanes) SumsOfPairs<3>(weights, values, dim, width, d, shrink, sums);
  for (; d + 2 * kLanes <= dim; d += 2 * kLanes) SumsOfPairs<2>(weights, values, dim, width, d, shrink, sums);
  for (; d < dim; d += kLanes) SumsOfPairs<1>(weights, values, dim, width, d, shrink, sums);
}

// Stores under a mask take long on some processors, so whole and half vectors are stored without.
void StoreRow(const float* sums, float total, int head_dim, BFloat16* out) {
  const __m512 inverse = V::Set(1.0f / total);
  for (int d = 0; d < head_dim; d += kLanes) {
    const auto narrow = (__m256i)_mm512_cvtneps_pbh(V::Mul(V::Load(sums + d), inverse));
    const int left = head_dim - d;
    if (left >= kLanes) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + d), narrow);
    } else if (left == kLanes / 2) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + d), _mm256_castsi256_si128(narrow));
    } else {
      _mm256_mask_storeu_epi16(out + d, static_cast<__mmask16>((1 << left) - 1), narrow);
    }
  }
}

void AttendPairs(const AttentionBlock& block) {
  const int dim = PaddedDim<V>(block.head_dim);
  float* scores = block.scratch;
  float* sums = scores + kBlockQueries * kBlockKeys;
  auto* q = reinterpret_cast<std::uint32_t*>(sums + kBlockQueries * dim);
  auto* weights = q + kBlockQueries * QueryPitch(block.head_dim);
  float largest[kBlockQueries], total[kBlockQueries], shrink[kBlockQueries];
  for (int r = 0; r < kBlockQueries; ++r) largest[r] = kMinusInfinity, total[r] = 0.0f;
  for (int i = 0; i < kBlockQueries * dim; ++i) sums[i] = 0.0f;
  LoadQueries(block, q);
  const std::int64_t visible_most = MostVisible(block);
  for (std::int64_t s = 0; s < visible_most; s += kBlockKeys) {
    const auto* keys = static_cast<const std::uint32_t*>(block.keys) + s * (dim / 2);
    const auto* values = static_cast<const std::uint32_t*>(block.values) + s / 2 * dim;
    const int width = BlockWidth(block.key_count, s);
    ScoresOfPairs(q, block.head_dim, keys, width, scores);
    for (int r = 0; r < kBlockQueries; ++r) {
      AddBias<V>(block.bias[r], s, width, scores + r * kBlockKeys);
      shrink[r] = SoftmaxPairs(scores + r * kBlockKeys, width, block.limit[r] - s, block.scale, largest[r],
                               total[r], weights + r * (kBlockKeys / 2));
    }
    WeightedSumsOfPairs(weights, values, dim, width, shrink, sums);
  }
  for (int r = 0; r < block.queries; ++r)
    StoreRow(sums + r * dim, total[r], block.head_dim, static_cast<BFloat16*>(block.out[r]));
}

}  // namespace

void InstallBf16Attention(RowKernels<BFloat16>& kernels) {
  kernels.pack = PackPairs;
  kernels.attend = AttendPairs;
  kernels.packed_token_bytes = PairedTokenBytes;
}

}  // namespace ringway::engine
