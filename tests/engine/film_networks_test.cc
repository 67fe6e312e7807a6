// T5's encoder and the networks of the LTX-Video class against their definitions in loops (film_reference.h),
// at small widths: every weight by its stock name and shape, results within 1e-5 in f32, with and without
// passes, and within 2e-2 in bf16.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "engine/cpu/cpu_backend.h"
#include "engine/plan/plan.h"
#include "tests/engine/film_reference.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

using reference::Flat;
using reference::Rows;
using reference::RowsOf;

Config ConfigFrom(std::string_view text) { return Config(Json::Parse(text, "test").value(), "config.json"); }

constexpr char kT5[] = R"({"d_model":40,"d_kv":8,"d_ff":56,"num_layers":3,"num_heads":3,"vocab_size":90,
  "relative_attention_num_buckets":8,"relative_attention_max_distance":20,"feed_forward_proj":"gated-gelu"})";
// 40 channels are six waves a side and two pairs that are not turned; heads of 20.
constexpr char kTransformer[] =
    R"({"in_channels":7,"out_channels":7,"num_attention_heads":2,"attention_head_dim":20,
  "cross_attention_dim":40,"num_layers":2,"caption_channels":24})";
constexpr char kVae[] =
    R"({"decoder_block_out_channels":[8,12,12],"decoder_spatio_temporal_scaling":[true,true,false],
  "decoder_layers_per_block":[2,1,0,1],"latent_channels":6,"patch_size":2})";

void ExpectParity(const char* what, const Graph& graph, const WeightSource& weights,
                  const std::function<void(Plan&)>& fill, const char* output, std::span<const float> expected,
                  double half_max = 2e-2) {
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  const auto distance = [&](const PassOptions& options) {
    const CpuBackend backend({.threads = 2});
    const auto plan = Plan::Freeze(graph, options, backend, weights);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return 1.0;
    fill(**plan);
    (*plan)->Run();
    return RelativeDistance((*plan)->Output(output), expected);
  };
  const double f32 = distance({}), half = distance({.precision = DType::kBF16});
  EXPECT_LT(f32, 1e-5);
  EXPECT_LT(
      distance(
          {.fold_constants = false, .hoist_expansion = false, .merge_projections = false, .fuse = false}),
      1e-5);
  EXPECT_LT(distance({.merge_projections = true}), 1e-5);
  EXPECT_LT(half, half_max);
  std::printf("  %-28s relative L2: f32 %.1e, bf16 %.2e\n", what, f32, half);
}

TEST(T5, IsItsDefinition) {
  const T5Config config = ReadT5Config(ConfigFrom(kT5)).value();
  constexpr std::int64_t kTokens = 37;  // farther apart than the longest distance
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < 2 * kTokens; ++i)
    ids.push_back(static_cast<std::int32_t>(std::floor((HashedUniform(Fnv1a("ids"), i) + 1) * 45)));
  HashWeights weights, expected_of;
  const Graph graph = BuildT5Encoder(config, weights, 2, kTokens);
  std::vector<float> expected;
  for (const std::size_t text : {0, 1}) {
    const auto one =
        Flat(reference::T5(config, expected_of, std::span(ids).subspan(text * kTokens, kTokens)));
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(weights.ListHash(), expected_of.ListHash());
  ExpectParity(
      "t5", graph, weights, [&](Plan& plan) { std::ranges::copy(ids, plan.IntegerInput("ids").begin()); },
      "hidden", expected,
      4e-2);  // scores that are not scaled are steep
}

// 32 buckets up to 128 tokens, as the released models have them.
TEST(T5, BucketsAreExactThenLogarithmic) {
  const T5Config config;
  const std::pair<int, int> wanted[] = {{0, 0},     {-1, 1},   {1, 17},     {-7, 7},   {7, 23},   {-8, 8},
                                        {8, 24},    {-11, 8},  {-12, 9},    {-16, 10}, {-33, 12}, {-65, 14},
                                        {-127, 15}, {127, 31}, {-5000, 15}, {5000, 31}};
  for (const auto& [distance, bucket] : wanted) EXPECT_EQ(T5Bucket(config, distance), bucket) << distance;
}

TEST(FilmTransformer, IsItsDefinition) {
  const FilmTransformerConfig config = ReadFilmTransformerConfig(ConfigFrom(kTransformer)).value();
  const FilmGrid grid{3, 2, 4, 8.0 / 25, 32};
  constexpr std::int64_t kWords = 9;
  const std::int64_t tokens = grid.frames * grid.height * grid.width;
  HashWeights weights, expected_of;
  const Graph graph = BuildFilmTransformer(config, weights, {2, tokens, kWords});
  std::vector<float> sample(static_cast<std::size_t>(2 * tokens * 7)), words(2 * kWords * 24);
  FillHashed("sample", sample);
  FillHashed("context", words);
  const std::size_t lengths[] = {4, kWords};
  std::vector<float> expected, mask;
  for (const std::size_t half : {0, 1}) {
    std::vector<bool> counts;
    for (std::size_t i = 0; i < kWords; ++i) {
      counts.push_back(i < lengths[half]);
      mask.push_back(counts.back() ? 0.0f : -10000.0f);
    }
    const auto one = Flat(reference::Transformer(
        config, expected_of, grid,
        RowsOf(std::span(sample).subspan(half * sample.size() / 2, sample.size() / 2), 7),
        RowsOf(std::span(words).subspan(half * words.size() / 2, words.size() / 2), 24), counts, 733.5));
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(weights.ListHash(), expected_of.ListHash());
  const std::vector<float> turns = FilmTurns(grid, config.channels());
  ExpectParity(
      "film transformer", graph, weights,
      [&](Plan& plan) {
        std::ranges::copy(sample, plan.Input("sample").begin());
        std::ranges::copy(words, plan.Input("context").begin());
        std::ranges::copy(mask, plan.Input("mask").begin());
        std::ranges::copy(turns, plan.Input("turns").begin());
        plan.Input("time")[0] = 733.5f;
      },
      "prediction", expected);
}

TEST(FilmVae, IsItsDefinition) {
  for (const bool causal : {false, true}) {
    FilmVaeConfig config = ReadFilmVaeConfig(ConfigFrom(kVae)).value();
    config.causal = causal;
    const FilmVaeSize size{2, 3, 2};
    HashWeights weights, expected_of;
    const Graph graph = BuildFilmVaeDecoder(config, weights, size);
    std::vector<float> latents(2 * 3 * 2 * 6);
    FillHashed("latent", latents, 3.0f);
    const std::vector<float> expected =
        Flat(reference::Decoder(config, expected_of, size, RowsOf(latents, 6)));
    EXPECT_EQ(weights.ListHash(), expected_of.ListHash());
    EXPECT_EQ(graph.shape(graph.outputs()[0].value), (Shape{5, 24, 16, 3}));
    ExpectParity(
        causal ? "film vae, causal" : "film vae", graph, weights,
        [&](Plan& plan) { std::ranges::copy(latents, plan.Input("latent").begin()); }, "picture", expected);
  }
}

TEST(FilmConfigurations, AreRefusedByTheirFields) {
  const auto says = [](const absl::Status& status) { return std::string(status.message()); };
  const std::pair<const char*, const char*> transformers[] = {
      {R"({"patch_size":2})", "\"patch_size\" is 2; allowed: 1"},
      {R"({"qk_norm":"layer_norm"})", "\"qk_norm\" is \"layer_norm\"; allowed: rms_norm_across_heads"},
      {R"({"activation_fn":"geglu"})", "\"activation_fn\" is \"geglu\"; allowed: gelu-approximate"},
      {R"({"cross_attention_dim":4096})", "\"cross_attention_dim\" is 4096"},
      {R"({"num_layers":0})", "\"num_layers\" is 0"}};
  for (const auto& [text, part] : transformers)
    EXPECT_THAT(says(ReadFilmTransformerConfig(ConfigFrom(text)).status()), testing::HasSubstr(part)) << text;
  const std::pair<const char*, const char*> vaes[] = {
      {R"({"timestep_conditioning":true})", "\"timestep_conditioning\" is"},
      {R"({"decoder_inject_noise":[false,true,false,false,false]})", "\"decoder_inject_noise\" is"},
      {R"({"upsample_factor":[2,2,2,2]})", "\"upsample_factor\" is"},
      {R"({"upsample_residual":[true,true,true,true]})", "\"upsample_residual\" is"},
      {R"({"decoder_spatio_temporal_scaling":[true]})", "\"decoder_spatio_temporal_scaling\" is"},
      {R"({"patch_size_t":2})", "\"patch_size_t\" is 2"}};
  for (const auto& [text, part] : vaes)
    EXPECT_THAT(says(ReadFilmVaeConfig(ConfigFrom(text)).status()), testing::HasSubstr(part)) << text;
  const std::pair<const char*, const char*> encoders[] = {
      {R"({"feed_forward_proj":"relu"})", "\"feed_forward_proj\" is \"relu\"; allowed: gated-gelu"},
      {R"({})", "\"feed_forward_proj\" is nothing"},
      {R"({"feed_forward_proj":"gated-gelu","relative_attention_num_buckets":30})",
       "\"relative_attention_num_buckets\" is 30"}};
  for (const auto& [text, part] : encoders)
    EXPECT_THAT(says(ReadT5Config(ConfigFrom(text)).status()), testing::HasSubstr(part)) << text;
}

// What the released configurations say is read, and the sizes of its latents follow.
TEST(FilmConfigurations, OfTheReleasedModel) {
  const auto vae = ReadFilmVaeConfig(ConfigFrom(
      R"({"_class_name":"AutoencoderKLLTXVideo","block_out_channels":[128,256,512,512],"decoder_causal":false,
      "encoder_causal":true,"in_channels":3,"latent_channels":128,"layers_per_block":[4,3,3,3,4],"out_channels":3,
      "patch_size":4,"patch_size_t":1,"resnet_norm_eps":1e-06,"scaling_factor":1.0,
      "spatio_temporal_scaling":[true,true,true,false]})"));
  ASSERT_TRUE(vae.ok()) << vae.status();
  EXPECT_EQ(vae->side_of_latent(), 32);
  EXPECT_EQ(vae->frames_of_latent(), 8);
  const auto transformer = ReadFilmTransformerConfig(ConfigFrom(
      R"({"_class_name":"LTXVideoTransformer3DModel","activation_fn":"gelu-approximate","attention_bias":true,
      "attention_head_dim":64,"attention_out_bias":true,"caption_channels":4096,"cross_attention_dim":2048,
      "in_channels":128,"norm_elementwise_affine":false,"norm_eps":1e-06,"num_attention_heads":32,"num_layers":28,
      "out_channels":128,"patch_size":1,"patch_size_t":1,"qk_norm":"rms_norm_across_heads"})"));
  ASSERT_TRUE(transformer.ok()) << transformer.status();
  EXPECT_EQ(transformer->channels(), 2048);
  HashWeights names;
  EXPECT_TRUE(BuildFilmTransformer(*transformer, names, {2, 4, 8}).status().ok());
  EXPECT_EQ(names.names().size(), 15u + 28 * 25);
}

}  // namespace
}  // namespace ringway::engine
