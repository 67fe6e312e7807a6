// Flash attention with VDPBF16PS: two bf16 products and their sum into a float, for every lane of 16. The
// algorithm is that of attention_kernel.h; what differs is the packing in pairs that the instruction asks
// for.
#include <numbers>

#include "engine/cpu/attention_kernel.h"
#include "engine/cpu/vector_avx512.h"

namespace ringway::engine {
namespace {

using V = Avx512Vector;
constexpr int kLanes = 16;

// A head's channels of values in vectors of pairs: whole ones, then a half one where at most eight channels
// are left. The halves of two pairs of keys share a vector, word by word in turns, so heads of 40 channels,
// of which Stable Diffusion 1.5 has many, are multiplied in 2.5 vectors and not in 3.
struct Width {
  int whole, half;  // vectors; half is 0 or 1
  explicit Width(int head_dim)
      : whole(head_dim / kLanes + (head_dim % kLanes > kLanes / 2)),
        half(head_dim % kLanes > 0 && head_dim % kLanes <= kLanes / 2) {}
  int words() const { return whole * kLanes + half * kLanes / 2; }  // of a pair of keys, packed
  int sums() const { return (whole + half) * kLanes; }              // of a query
};

int PairedTokenBytes(int head_dim) { return Width(head_dim).words() * 2; }

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

// Eight words of each, in turns.
__m512i InTurns(__m512i first, __m512i second) {
  const __m512i turns = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutex2var_epi32(first, turns, second);
}

// Two pairs of keys, some of which may not exist: their whole vectors one pair after the other, then the half
// that they share.
void PackTwoPairs(const BFloat16* values, std::int64_t stride, std::int64_t count, int head_dim,
                  std::uint32_t* packed) {
  const Width width(head_dim);
  const auto pairs = [&](std::int64_t key, int d) {
    if (key >= count) return _mm512_setzero_si512();
    const BFloat16* row = values + key * stride;
    return RowPairs(row, key + 1 < count ? row + stride : nullptr, d, head_dim);
  };
  for (std::int64_t key = 0; key < 4; key += 2)
    for (int j = 0; j < width.whole; ++j, packed += kLanes)
      _mm512_storeu_si512(packed, pairs(key, j * kLanes));
  const int d = width.whole * kLanes;
  if (width.half > 0) _mm512_storeu_si512(packed, InTurns(pairs(0, d), pairs(2, d)));
}

// keys: [group of 16 keys][pair of channels][lane]; values: [two pairs of keys], as above. All 32-bit pairs.
void PackPairs(const BFloat16* keys, const BFloat16* values, std::int64_t stride, std::int64_t count,
               int head_dim, void* packed_keys, void* packed_values) {
  const int dim = Width(head_dim).words();
  auto* k = static_cast<std::uint32_t*>(packed_keys);
  auto* v = static_cast<std::uint32_t*>(packed_values);
  for (std::int64_t group = 0; group < count; group += kLanes, k += kLanes * dim / 2) {
    for (int d = 0; d < dim; d += 32) {
      __m512i rows[kLanes];
      for (std::int64_t lane = 0; lane < kLanes; ++lane)
        rows[lane] = group + lane < count ? ChannelPairs(keys + (group + lane) * stride, d, head_dim)
                                          : _mm512_setzero_si512();
      Transpose(rows);
      for (int pair = 0; pair < 16 && d / 2 + pair < dim / 2; ++pair)
        _mm512_storeu_si512(k + (d / 2 + pair) * kLanes, rows[pair]);
    }
    for (std::int64_t s = group; s < group + kLanes; s += 4, v += 2 * dim)
      PackTwoPairs(values + s * stride, stride, count - s, head_dim, v);
  }
}

__m512bh Pairs(const std::uint32_t* p) { return (__m512bh)_mm512_loadu_si512(p); }
__m512bh Broadcast(std::uint32_t pair) { return (__m512bh)_mm512_set1_epi32(static_cast<int>(pair)); }
__m512bh BroadcastTwo(const std::uint32_t* pairs) {
  std::int64_t two;
  __builtin_memcpy(&two, pairs, sizeof(two));
  return (__m512bh)_mm512_set1_epi64(two);
}

// Words from one query to the next in scratch: whole vectors.
int QueryPitch(int head_dim) { return (head_dim + 31) / 32 * 16; }

// The queries' channels in pairs, copied out once a block, for rows may end at an odd channel.
void LoadQueries(const AttentionBlock& block, int queries, std::uint32_t* q) {
  const int pitch = QueryPitch(block.head_dim);
  for (int r = 0; r < queries; ++r)
    for (int d = 0; d < block.head_dim; d += 32)
      _mm512_storeu_si512(q + r * pitch + d / 2,
                          ChannelPairs(static_cast<const BFloat16*>(block.q[r]), d, block.head_dim));
}

template <int kVectors>
void ScoresOfPairsAt(const std::uint32_t* q, int head_dim, const std::uint32_t* keys, int first,
                     float* scores) {
  const int dim = Width(head_dim).words(), pitch = QueryPitch(head_dim);
  __m512 sum[kRows][kVectors];
  for (auto& row : sum)
    for (auto& s : row) s = _mm512_setzero_ps();
  const std::uint32_t* group = keys + first * (dim / 2);
  for (int p = 0; p < (head_dim + 1) / 2; ++p) {
    __m512bh k[kVectors];
    for (int j = 0; j < kVectors; ++j) k[j] = Pairs(group + (j * (dim / 2) + p) * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const __m512bh a = Broadcast(q[r * pitch + p]);
      for (int j = 0; j < kVectors; ++j) sum[r][j] = _mm512_dpbf16_ps(sum[r][j], a, k[j]);
    }
  }
  for (int r = 0; r < kRows; ++r)
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

// 2^x for x <= 0. The polynomial of degree 4 over [0, 1) has the least largest relative error, 2.6e-6, which
// is nothing beside the 2e-3 of the rounding to bf16 that follows; below 2^-126, that.
__m512 Exp2(__m512 x) {
  x = _mm512_max_ps(x, _mm512_set1_ps(-126.0f));
  const __m512 r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF);  // x - floor(x)
  __m512 p = _mm512_set1_ps(1.35341678e-2f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.20114638e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(2.41442755e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(6.93003833e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.00000262f));
  return _mm512_scalef_ps(p, x);
}

// Raises the largest score and returns by how much earlier sums must shrink. Mostly nothing is to be raised,
// which a comparison of vectors tells sooner than their largest lane.
float Raise(const float* scores, int width, float by, float& largest) {
  __m512 most = V::Load(scores);
  for (int s = kLanes; s < width; s += kLanes) most = V::Max(most, V::Load(scores + s));
  if (_mm512_cmp_ps_mask(most, V::Set(largest), _CMP_GT_OQ) == 0) return 1.0f;
  const float before = largest;
  largest = V::Largest(most);
  return _mm512_cvtss_f32(Exp2(V::Set((before - largest) * by)));
}

// Scores become powers of two of what they are below the largest one, narrowed to pairs of neighbouring keys.
float SoftmaxPairs(float* scores, int width, std::int64_t visible, float by, float& largest, float* total,
                   std::uint32_t* weights) {
  if (visible < width) Hide<V>(scores, width, visible);
  const float shrink = Raise(scores, width, by, largest);
  const __m512 factor = V::Set(by), least = V::Set(-largest * by);
  __m512 sum = V::Mul(V::Load(total), V::Set(shrink));
  int s = 0;
  for (; s + 2 * kLanes <= width; s += 2 * kLanes) {
    const __m512 near = Exp2(V::Fma(V::Load(scores + s), factor, least));
    const __m512 far = Exp2(V::Fma(V::Load(scores + s + kLanes), factor, least));
    sum = V::Add(sum, V::Add(near, far));
    _mm512_storeu_si512(weights + s / 2, (__m512i)_mm512_cvtne2ps_pbh(far, near));
  }
  if (s < width) {
    const __m512 last = Exp2(V::Fma(V::Load(scores + s), factor, least));
    sum = V::Add(sum, last);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + s / 2), (__m256i)_mm512_cvtneps_pbh(last));
  }
  V::Store(total, sum);
  return shrink;
}

// kWhole vectors of channels from the j-th on, and the half one, for eight queries at a time.
template <int kWhole, int kHalf>
void SumsOfPairsAt(const std::uint32_t* weights, const std::uint32_t* values, Width channels, int width,
                   int first, const float* shrink, float* sums) {
  constexpr int kAll = kWhole + kHalf;
  const int pitch = channels.sums(), whole = channels.whole * kLanes;
  float* at = sums + first * kLanes;
  __m512 sum[kRows][kAll];
  for (int r = 0; r < kRows; ++r)
    for (int j = 0; j < kAll; ++j)
      sum[r][j] = V::Mul(V::Load(at + r * pitch + j * kLanes), V::Set(shrink[r]));
  for (int s = 0; s < width / 2; s += 2, values += 2 * channels.words()) {
    __m512bh near[kWhole + 1], far[kWhole + 1];
    for (int j = 0; j < kWhole; ++j) {
      near[j] = Pairs(values + (first + j) * kLanes);
      far[j] = Pairs(values + whole + (first + j) * kLanes);
    }
    if constexpr (kHalf > 0) near[kWhole] = Pairs(values + 2 * whole);
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t* w = weights + r * (kBlockKeys / 2) + s;
      for (int j = 0; j < kWhole; ++j) sum[r][j] = _mm512_dpbf16_ps(sum[r][j], Broadcast(w[0]), near[j]);
      for (int j = 0; j < kWhole; ++j) sum[r][j] = _mm512_dpbf16_ps(sum[r][j], Broadcast(w[1]), far[j]);
      if constexpr (kHalf > 0)
        sum[r][kWhole] = _mm512_dpbf16_ps(sum[r][kWhole], BroadcastTwo(w), near[kWhole]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int j = 0; j < kAll; ++j) V::Store(at + r * pitch + j * kLanes, sum[r][j]);
}

void SumsOfPairs(const std::uint32_t* weights, const std::uint32_t* values, Width channels, int width,
                 const float* shrink, float* sums) {
  int j = 0;
  const auto add = [&](auto kernel) { kernel(weights, values, channels, width, j, shrink, sums); };
  for (; j + 3 <= channels.whole; j += 3) add(SumsOfPairsAt<3, 0>);
  const int left = channels.whole - j;
  if (channels.half > 0)
    return add(left == 2 ? SumsOfPairsAt<2, 1> : left == 1 ? SumsOfPairsAt<1, 1> : SumsOfPairsAt<0, 1>);
  if (left > 0) add(left == 2 ? SumsOfPairsAt<2, 0> : SumsOfPairsAt<1, 0>);
}

// The even lanes' sums with their neighbours', where two halves share a vector.
__m512 Together(__m512 halves) {
  const __m512 both = V::Add(halves, _mm512_permute_ps(halves, 0b10'11'00'01));
  return _mm512_maskz_compress_ps(0x5555, both);
}

// Stores under a mask take long on some processors, so whole and half vectors are stored without.
void StoreRow(const float* sums, float total, int head_dim, BFloat16* out) {
  const __m512 inverse = V::Set(1.0f / total);
  for (int d = 0; d < head_dim; d += kLanes) {
    const int left = head_dim - d;
    const __m512 sum = V::Load(sums + d);
    const auto narrow = (__m256i)_mm512_cvtneps_pbh(V::Mul(left > kLanes / 2 ? sum : Together(sum), inverse));
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
  const Width channels(block.head_dim);
  const int dim = channels.words(), pitch = channels.sums(), queries = WholeRows(block);
  float* scores = block.scratch;
  float* totals = scores + kRows * kBlockKeys;
  float* sums = totals + queries * kLanes;
  auto* q = reinterpret_cast<std::uint32_t*>(sums + queries * pitch);
  auto* weights = q + queries * QueryPitch(block.head_dim);
  float largest[AttentionBlock::kQueries], shrink[kRows];
  for (int r = 0; r < queries; ++r) largest[r] = kMinusInfinity;
  for (int i = 0; i < queries * (kLanes + pitch); ++i) totals[i] = 0.0f;
  LoadQueries(block, queries, q);
  const float by = block.scale * std::numbers::log2e_v<float>;
  const std::int64_t visible_most = MostVisible(block);
  for (std::int64_t s = 0; s < visible_most; s += kBlockKeys) {
    const auto* keys = static_cast<const std::uint32_t*>(block.keys) + s * (dim / 2);
    const auto* values = static_cast<const std::uint32_t*>(block.values) + s / 2 * dim;
    const int width = BlockWidth(block.key_count, s);
    for (int row = 0; row < queries; row += kRows) {
      ScoresOfPairs(q + row * QueryPitch(block.head_dim), block.head_dim, keys, width, scores);
      for (int r = 0; r < kRows; ++r) {
        float* const of_row = scores + r * kBlockKeys;
        AddBias<V>(block.bias[row + r], s, width, of_row);
        shrink[r] = SoftmaxPairs(of_row, width, block.limit[row + r] - s, by, largest[row + r],
                                 totals + (row + r) * kLanes, weights + r * (kBlockKeys / 2));
      }
      SumsOfPairs(weights, values, channels, width, shrink, sums + row * pitch);
    }
  }
  for (int r = 0; r < block.queries; ++r)
    StoreRow(sums + r * pitch, V::Sum(V::Load(totals + r * kLanes)), block.head_dim,
             static_cast<BFloat16*>(block.out[r]));
}

}  // namespace

void InstallBf16Attention(RowKernels<BFloat16>& kernels) {
  kernels.pack = PackPairs;
  kernels.attend = AttendPairs;
  kernels.packed_token_bytes = PairedTokenBytes;
}

}  // namespace ringway::engine
