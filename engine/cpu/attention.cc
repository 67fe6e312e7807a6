#include <algorithm>
#include <cmath>

#include "engine/cpu/cpu_kernels.h"
#include "engine/threads/parallel.h"

namespace ringway::engine {
namespace {

// Where a token lies: axes [batch, token, position, channels] with a stride for rows.
struct TokenLayout {
  std::int64_t tokens = 0, positions = 0, row_stride = 0;
  explicit TokenLayout(const Operand& operand)
      : tokens(operand.shape.dim(1)), positions(operand.shape.dim(2)), row_stride(operand.row_stride) {}
  std::int64_t At(std::int64_t batch, std::int64_t token, std::int64_t position) const {
    return ((batch * tokens + token) * positions + position) * row_stride;
  }
};

// A "group" is one head with one set of keys and all queries that see them: the queries of every batch and
// position that share it. With many groups a thread takes a whole one, packing its keys into a buffer of its
// own; with few, all keys are packed first and threads share the queries.
template <typename T>
class AttentionKernel : public Kernel {
 public:
  AttentionKernel(const CpuContext& context, const AttentionOp& op, Operands in, const Operand& out)
      : kernels_(RowsOf<T>(context.table)),
        threads_(context.threads),
        op_(op),
        q_layout_(in[0]),
        k_layout_(in[1]),
        v_layout_(in[2]),
        out_layout_(out),
        head_dim_(static_cast<int>(in[0].shape.dim(3)) / op.heads) {
    const std::int64_t key_batches = in[1].shape.dim(0);
    batches_each_ = in[0].shape.dim(0) / key_batches;
    positions_each_ = q_layout_.positions / k_layout_.positions;
    groups_ = key_batches * k_layout_.positions * op.heads;
    queries_ = batches_each_ * positions_each_ * q_layout_.tokens;
    const std::int64_t padded = (k_layout_.tokens + AttentionBlock::kKeyGroup - 1) /
                                AttentionBlock::kKeyGroup * AttentionBlock::kKeyGroup;
    packed_bytes_ = (padded * kernels_.packed_token_bytes(head_dim_) + 63) / 64 * 64;
    whole_groups_ = groups_ >= 8 * threads_;
    scratch_bytes_ = (AttentionBlock::ScratchFloats(head_dim_) * 4 + 63) / 64 * 64;
    scale_ = op.scale > 0 ? op.scale : 1.0f / std::sqrt(static_cast<float>(head_dim_));
    if (in.size() < 4 || !in[3].present) return;
    bias_shape_ = in[3].shape;
    bias_pitch_ = padded;
    bias_bytes_ = (AttentionBlock::kQueries * padded * 4 + 63) / 64 * 64;
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t packed = (whole_groups_ ? threads_ : groups_) * 2 * packed_bytes_;
    return static_cast<std::size_t>(packed + threads_ * (scratch_bytes_ + bias_bytes_));
  }

  void Bind(std::span<std::byte* const> in, std::byte* out, std::byte* workspace) override {
    q_ = reinterpret_cast<const T*>(in[0]);
    k_ = reinterpret_cast<const T*>(in[1]);
    v_ = reinterpret_cast<const T*>(in[2]);
    out_ = reinterpret_cast<T*>(out);
    bias_ = bias_pitch_ > 0 ? reinterpret_cast<const float*>(in[3]) : nullptr;
    scratch_ = workspace;
    packed_ = workspace + threads_ * (scratch_bytes_ + bias_bytes_);
  }

  void Run() override {
    if (whole_groups_) {
      ParallelFor(groups_, threads_, [this](std::int64_t group, int thread) {
        std::byte* packed = packed_ + thread * 2 * packed_bytes_;
        PackGroup(group, packed);
        AttendGroup(group, 0, queries_, packed, thread);
      });
      return;
    }
    ParallelFor(groups_, threads_,
                [this](std::int64_t group, int) { PackGroup(group, packed_ + group * 2 * packed_bytes_); });
    const std::int64_t chunks = (queries_ + kQueriesPerTask - 1) / kQueriesPerTask;
    ParallelFor(groups_ * chunks, threads_, [this, chunks](std::int64_t task, int thread) {
      // All queries of a head after each other: its keys stay in the second cache.
      const std::int64_t group = task / chunks;
      const std::int64_t first = task % chunks * kQueriesPerTask;
      AttendGroup(group, first, std::min(first + kQueriesPerTask, queries_),
                  packed_ + group * 2 * packed_bytes_, thread);
    });
  }

 private:
  static constexpr std::int64_t kQueriesPerTask = 256;

  struct Group {
    std::int64_t batch, position, head;
  };
  Group GroupAt(std::int64_t group) const {
    const std::int64_t head = group % op_.heads;
    const std::int64_t place = group / op_.heads;
    return {place / k_layout_.positions, place % k_layout_.positions, head};
  }

  void PackGroup(std::int64_t index, std::byte* packed) {
    const Group g = GroupAt(index);
    const std::int64_t channel = g.head * head_dim_;
    const std::int64_t stride = k_layout_.row_stride * k_layout_.positions;
    RINGWAY_CHECK(v_layout_.row_stride == k_layout_.row_stride);
    kernels_.pack(k_ + k_layout_.At(g.batch, 0, g.position) + channel,
                  v_ + v_layout_.At(g.batch, 0, g.position) + channel, stride, k_layout_.tokens, head_dim_,
                  packed, packed + packed_bytes_);
  }

  void AttendGroup(std::int64_t index, std::int64_t begin, std::int64_t end, std::byte* packed, int thread) {
    const Group g = GroupAt(index);
    AttentionBlock block;
    block.keys = packed;
    block.values = packed + packed_bytes_;
    block.key_count = k_layout_.tokens;
    block.head_dim = head_dim_;
    block.scale = scale_;
    std::byte* space = scratch_ + thread * (scratch_bytes_ + bias_bytes_);
    block.scratch = reinterpret_cast<float*>(space);
    auto* bias = reinterpret_cast<float*>(space + scratch_bytes_);
    QueryCursor at(*this, g, begin);
    for (std::int64_t first = begin; first < end; first += AttentionBlock::kQueries) {
      block.queries = static_cast<int>(std::min<std::int64_t>(AttentionBlock::kQueries, end - first));
      for (int r = 0; r < AttentionBlock::kQueries; ++r) {
        at.Place(r, block);
        if (bias_ != nullptr) block.bias[r] = BiasOf(at, g.head, bias + r * bias_pitch_);
        if (first + r + 1 < end) at.Advance();  // past the end, the last one again
      }
      kernels_.attend(block);
    }
  }

  // What is added to a query's scores, by the scale that they are still to be multiplied with.
  template <typename Cursor>
  const float* BiasOf(const Cursor& at, std::int64_t head, float* to) const {
    const Shape& b = bias_shape_;
    const std::int64_t row = (b.dim(0) > 1 ? at.batch() : 0) * b.dim(1) + (b.dim(1) > 1 ? at.token() : 0);
    const float* from = bias_ + row * b.dim(2) * b.dim(3) + (b.dim(3) > 1 ? head : 0);
    const float inverse = 1.0f / scale_;
    for (std::int64_t s = 0; s < b.dim(2); ++s) to[s] = from[s * b.dim(3)] * inverse;
    std::fill(to + b.dim(2), to + bias_pitch_, 0.0f);
    return to;
  }

  // Walks the queries of a group: neighbouring positions first, for they lie next to each other, then tokens,
  // then batches. Divides only where it starts.
  class QueryCursor {
   public:
    QueryCursor(const AttentionKernel& kernel, const Group& g, std::int64_t query)
        : kernel_(kernel),
          channel_(g.head * kernel.head_dim_),
          position_first_(g.position * kernel.positions_each_),
          position_end_(position_first_ + kernel.positions_each_) {
      position_ = position_first_ + query % kernel.positions_each_;
      token_ = query / kernel.positions_each_ % kernel.q_layout_.tokens;
      batch_ = g.batch * kernel.batches_each_ + query / kernel.positions_each_ / kernel.q_layout_.tokens;
    }
    void Place(int r, AttentionBlock& block) const {
      const std::int64_t keys = kernel_.k_layout_.tokens;
      block.q[r] = kernel_.q_ + kernel_.q_layout_.At(batch_, token_, position_) + channel_;
      block.out[r] = kernel_.out_ + kernel_.out_layout_.At(batch_, token_, position_) + channel_;
      block.limit[r] = kernel_.op_.causal ? std::min(token_ + 1, keys) : keys;
    }
    std::int64_t batch() const { return batch_; }
    std::int64_t token() const { return token_; }
    void Advance() {
      if (++position_ < position_end_) return;
      position_ = position_first_;
      if (++token_ < kernel_.q_layout_.tokens) return;
      token_ = 0;
      ++batch_;
    }

   private:
    const AttentionKernel& kernel_;
    std::int64_t channel_, position_first_, position_end_;
    std::int64_t position_ = 0, token_ = 0, batch_ = 0;
  };

  const RowKernels<T>& kernels_;
  int threads_;
  AttentionOp op_;
  TokenLayout q_layout_, k_layout_, v_layout_, out_layout_;
  int head_dim_;
  std::int64_t batches_each_ = 1, positions_each_ = 1, groups_ = 0, queries_ = 0, packed_bytes_ = 0,
               scratch_bytes_ = 0, bias_pitch_ = 0, bias_bytes_ = 0;
  float scale_ = 1.0f;
  Shape bias_shape_;
  bool whole_groups_ = false;
  const T* q_ = nullptr;
  const T* k_ = nullptr;
  const T* v_ = nullptr;
  const float* bias_ = nullptr;
  T* out_ = nullptr;
  std::byte* scratch_ = nullptr;
  std::byte* packed_ = nullptr;
};

}  // namespace

KernelOr MakeAttention(const CpuContext& context, const AttentionOp& op, Operands in, const Operand& out) {
  if (in[1].row_stride != in[2].row_stride)
    return absl::UnimplementedError("keys and values lie differently");
  if (in.size() > 3 && in[3].present && (in[3].dtype != DType::kF32 || !in[3].dense()))
    return absl::UnimplementedError("a bias must be f32 in whole rows");
  if (out.dtype == DType::kBF16) return std::make_unique<AttentionKernel<BFloat16>>(context, op, in, out);
  return std::make_unique<AttentionKernel<float>>(context, op, in, out);
}

}  // namespace ringway::engine
