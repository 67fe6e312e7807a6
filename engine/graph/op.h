// The operations that networks are made of: a closed list, each a plain struct with its settings.
//
// Channels are last in every operand (tensor/shape.h). Inputs are positional; kAbsent stands for an optional
// one that is not given. An operation has one result. "rows" means all axes but the last. Weights are named,
// not held: their numbers come when a plan is bound to them. A constant is a few numbers that belong to the
// structure itself (the numbers of the frames).
//
//   Conv         x [n,h,w,i], weight [o,kh,kw,i], bias? [o], residual? like the result; a weight
//   [o,kf,kh,kw,i] goes over n too: frames of one clip, whose outermost last beyond its ends
//   Linear       x [...,i], weight [o,i], bias? [o], residual? like the result [...,o] (gated: [...,o/2])
//   GroupNorm    x [n,...,c], gamma [c], beta [c], shift? [n,c] or [1,c]: added to x before it is normalised
//   LayerNorm    x [...,c], gamma?, beta?; not centred: by the root of the mean square (arXiv:1910.07467)
//   Attention    q [b,l,p,c], k and v [b',s,p',c]: over l and s, apart for every head, every b and every
//   position p; b' divides b (neighbouring b share keys), p' is p or 1 (all positions share keys); bias?
//   [b or 1,l or 1,s,heads or 1] is added to the scores, in f32
//   Geglu        x [...,2c] -> first half times gelu(second half) (Shazeer, arXiv:2002.05202)
//   Add          x, y; y's axes are those of x or 1
//   Scale        x, scale, shift?: x * scale + shift, both as y of Add; plus_one: x * (1 + scale) + shift
//   Rotate       x [...,c], turns f32 [t,c]: pairs of channels turned (arXiv:2104.09864) by the angles whose
//   cosines and sines are the pairs of turns; row r of x by row r mod t
//   DepthToSpace x [n,h,w,c*f*fh*fw] -> [n*f-skipped,h*fh,w*fw,c]
//   Blend        x, y, amount [1]: amount * x + (1 - amount) * y
//   Expand       x: every slice of an axis, `times` times in a row
//   TimeEmbedding  t [n] -> [n, channels], cosines first unless sine_first (arXiv:2006.11239, section B)
//   Lookup       table [rows,c], ids i32 [...] -> [...,c]
#ifndef RINGWAY_ENGINE_GRAPH_OP_H_
#define RINGWAY_ENGINE_GRAPH_OP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/tensor/tensor.h"

namespace ringway::engine {

// kGeluTanh is gelu by its approximation with a tanh.
enum class Activation : std::uint8_t { kNone, kSilu, kGelu, kQuickGelu, kSigmoid, kRelu, kGeluTanh };

// How a product multiplies: by weights of the type of x; by weights of 8 bits, symmetric with a scale for
// each output, widened to the type of x as they are read (kWeights); or by such weights in whole numbers,
// each row of x rounded to 8 bits by its own largest magnitude (kDynamic). The graph's weight is f32 for the
// last two.
enum class Quantisation : std::uint8_t { kNone, kWeights, kDynamic };

struct InputOp {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
};
struct ConstantOp {
  Tensor tensor;
};
struct WeightOp {
  std::string name;     // as stored
  Shape shape;          // as read
  bool kernel = false;  // stored as [out, in, taps...], read as [out, taps..., in]
};
struct Padding {
  int top = 0, left = 0, bottom = 0, right = 0;
};
// `result` is the element type of the result where it is not that of x.
struct ConvOp {
  int stride = 1;
  Padding padding;
  Activation activation = Activation::kNone;  // before the residual is added
  std::optional<DType> result = std::nullopt;
  int front = 0;  // earlier frames under a kernel over frames; those after follow from its size
  Quantisation quantisation = Quantisation::kNone;  // otherwise of one tap and stride 1
};
struct LinearOp {
  Activation activation = Activation::kNone;  // before the residual is added
  bool gated = false;                         // the result is halved by Geglu; no activation, no residual
  std::optional<DType> result = std::nullopt;
  Quantisation quantisation = Quantisation::kNone;
};
struct GroupNormOp {
  int groups = 32;
  float epsilon = 1e-5f;
  bool silu = false;
  std::optional<DType> result = std::nullopt;
};
struct LayerNormOp {
  float epsilon = 1e-5f;
  bool centred = true;
  std::optional<DType> result = std::nullopt;
};
struct AttentionOp {
  int heads = 1;
  bool causal = false;
  float scale = 0;  // of the scores; 0: one by the root of a head's channels
};
struct ActivateOp {
  Activation activation = Activation::kSilu;
};
struct GegluOp {};
struct AddOp {
  std::optional<DType> result = std::nullopt;
};
struct ScaleOp {
  bool plus_one = false;
  std::optional<DType> result = std::nullopt;
};
struct RotateOp {};
struct DepthToSpaceOp {
  int frames = 1, height = 1, width = 1;  // how many times as many
  bool width_first = false;               // channels are [c,f,fw,fh] instead of [c,f,fh,fw]
  int skipped = 0;                        // first frames of the result that are left out
};
struct BlendOp {
  std::optional<DType> result = std::nullopt;
};
struct ConcatOp {
  int axis = -1;
};
struct UpsampleOp {  // nearest neighbour, twice the height and width
  // Without the last row, the last column: the mirror of a halving that rounded up.
  bool odd_height = false, odd_width = false;
};
struct ReshapeOp {
  Shape shape;
};
struct ExpandOp {
  int axis = 0;
  std::int64_t times = 1;
};
struct SliceOp {  // of the last axis
  std::int64_t begin = 0;
  std::int64_t size = 0;
};
struct TimeEmbeddingOp {
  std::int64_t channels = 0;
  bool sine_first = false;
};
struct LookupOp {};
struct CastOp {
  DType dtype = DType::kF32;
};

using Op =
    std::variant<InputOp, ConstantOp, WeightOp, ConvOp, LinearOp, GroupNormOp, LayerNormOp, AttentionOp,
                 ActivateOp, GegluOp, AddOp, BlendOp, ConcatOp, UpsampleOp, ReshapeOp, ExpandOp, SliceOp,
                 TimeEmbeddingOp, LookupOp, CastOp, ScaleOp, RotateOp, DepthToSpaceOp>;

inline constexpr std::string_view kOpNames[] = {
    "input",    "constant",       "weight", "conv",  "linear", "group_norm", "layer_norm",    "attention",
    "activate", "geglu",          "add",    "blend", "concat", "upsample",   "reshape",       "expand",
    "slice",    "time_embedding", "lookup", "cast",  "scale",  "rotate",     "depth_to_space"};
static_assert(std::size(kOpNames) == std::variant_size_v<Op>);
inline std::string_view OpName(const Op& op) { return kOpNames[op.index()]; }

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_GRAPH_OP_H_
