// Whole networks and full-width blocks against what the torch reference (tests/engine/reference) gave for the
// same hashed weights and inputs: every weight by its stock name and shape, results within 1e-5 in f32 and
// 2e-2 in bf16, and no farther than torch's own bf16.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/cpu/cpu_backend.h"
#include "engine/networks/clip.h"
#include "engine/networks/unet_sd.h"
#include "engine/networks/vae.h"
#include "engine/plan/plan.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/golden.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

struct Case {
  const char* golden;
  const char* output;
  std::function<Graph(const Golden&, WeightSource&)> build;
  std::function<void(Plan&)> fill;
  double half_max = 2e-2;  // in bf16
};

void Fill(Plan& plan, std::string_view name, float scale = 1.0f) {
  FillHashed(name, plan.Input(name), scale);
}

Graph BuildSvd(const Golden& golden, WeightSource& weights, const ClipSize& size, std::int64_t tokens) {
  return BuildSvdUNet(ReadSvdUNetConfig(ConfigOf(golden)).value(), weights, size, tokens);
}

void FillSvd(Plan& plan) {
  Fill(plan, "sample");
  Fill(plan, "context");
  Fill(plan, "added", 50.0f);
  plan.Input("time")[0] = 0.7f;
}

void FillXl(Plan& plan) {
  Fill(plan, "sample");
  Fill(plan, "context");
  Fill(plan, "summary");
  plan.Input("time")[0] = 801.0f;
  const float sizes[] = {1024, 768, 0, 16, 512, 640};
  for (std::size_t i = 0; i < 12; ++i) plan.Input("sizes")[i] = sizes[i % 6];
}

void FillIds(Plan& plan) {
  const auto ids = plan.IntegerInput("ids");
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(std::floor((HashedUniform(Fnv1a("ids"), i) + 1.0f) * 50.0f));
}

// One full-width block of the SVD class, in a graph of its own.
Graph FullWidthResnet(const Golden&, WeightSource& weights) {
  Graph g;
  const ValueId x = g.Input("x", {4, 8, 8, 640});
  const ValueId time = Silu(g, g.Input("time", {1, 1280}));
  g.Output("y", SpatioTemporalResnet(Scope(g, weights), x, time, 1280, {1, 4}, {1e-6f, 1e-6f, false}));
  return g;
}
Graph FullWidthTransformer(const Golden&, WeightSource& weights) {
  Graph g;
  const ValueId x = g.Input("x", {4, 8, 8, 1280});
  g.Output("y", SpatioTemporalTransformer(Scope(g, weights), x, g.Input("context", {1, 5, 1, 1024}), {1, 4},
                                          1, 20));
  return g;
}

std::vector<Case> Cases() {
  return {
      {"svd_unet", "prediction",
       [](const Golden& g, WeightSource& w) {
         return BuildSvd(g, w, {{1, 3}, 8, 12}, 1);
       },
       FillSvd},
      {"svd_unet_text_two_clips", "prediction",
       [](const Golden& g, WeightSource& w) {
         return BuildSvd(g, w, {{2, 5}, 8, 8}, 7);
       },
       FillSvd},
      {"sd_unet", "prediction",
       [](const Golden& g, WeightSource& w) {
         return BuildSdUNet(ReadSdUNetConfig(ConfigOf(g)).value(), w, {2, 16, 24}, 77);
       },
       [](Plan& plan) {
         Fill(plan, "sample");
         Fill(plan, "context");
         plan.Input("time")[0] = 501.0f;
       }},
      {"sd2_unet_odd", "prediction",
       [](const Golden& g, WeightSource& w) {
         return BuildSdUNet(ReadSdUNetConfig(ConfigOf(g)).value(), w, {2, 7, 5}, 9);
       },
       [](Plan& plan) {
         Fill(plan, "sample");
         Fill(plan, "context");
         Fill(plan, "guidance");
         plan.Input("time")[0] = 37.5f;
       }},
      {"sdxl_unet", "prediction",
       [](const Golden& g, WeightSource& w) {
         return BuildSdUNet(ReadSdUNetConfig(ConfigOf(g)).value(), w, {2, 8, 12}, 77);
       },
       FillXl, 0.1},  // ten random layers on each other are steep
      {"vae_encoder", "moments",
       [](const Golden& g, WeightSource& w) {
         return BuildVaeEncoder(ReadVaeConfig(ConfigOf(g)).value(), w, 2, 24, 16);
       },
       [](Plan& plan) { Fill(plan, "picture"); }},
      {"vae_temporal_decoder", "picture",
       [](const Golden& g, WeightSource& w) {
         return BuildVaeTemporalDecoder(ReadVaeConfig(ConfigOf(g)).value(), w, {{2, 3}, 6, 8});
       },
       [](Plan& plan) { Fill(plan, "latent"); }},
      {"clip_text", "hidden",
       [](const Golden& g, WeightSource& w) {
         return BuildClipText(ReadClipConfig(ConfigOf(g)).value(), w, 2);
       },
       FillIds},
      {"clip_vision", "embedding",
       [](const Golden& g, WeightSource& w) {
         return BuildClipVision(ReadClipConfig(ConfigOf(g)).value(), w);
       },
       [](Plan& plan) { Fill(plan, "picture"); }},
      {"svd_resnet_full_width", "y", FullWidthResnet,
       [](Plan& plan) {
         Fill(plan, "x");
         Fill(plan, "time");
       }},
      {"svd_transformer_full_width", "y", FullWidthTransformer,
       [](Plan& plan) {
         Fill(plan, "x");
         Fill(plan, "context");
       }},
  };
}

double DistanceToGolden(const Case& c, const Golden& golden, const Graph& graph, const WeightSource& weights,
                        const PassOptions& options) {
  const CpuBackend backend({.threads = 2});
  const auto plan = Plan::Freeze(graph, options, backend, weights);
  RINGWAY_CHECK(plan.ok());
  c.fill(**plan);
  (*plan)->Run();
  return DistanceToGolden(golden, (*plan)->Output(c.output));
}

class Parity : public testing::TestWithParam<int> {
 protected:
  Case case_ = Cases()[static_cast<std::size_t>(GetParam())];
  Golden golden_ = ReadGolden(case_.golden);
};

TEST_P(Parity, WithTorch) {
  HashWeights weights;
  const Graph graph = case_.build(golden_, weights);
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  // The vae's halves each take their own part of one checkpoint.
  if (std::string_view(case_.golden).substr(0, 3) != "vae") {
    EXPECT_EQ(weights.ListHash(), golden_.names);
  }
  const double f32 = DistanceToGolden(case_, golden_, graph, weights, {});
  EXPECT_LT(f32, 1e-5);
  PassOptions plain = {
      .fold_constants = false, .hoist_expansion = false, .merge_projections = false, .fuse = false};
  EXPECT_LT(DistanceToGolden(case_, golden_, graph, weights, plain), 1e-5);
  PassOptions half;
  half.precision = DType::kBF16;
  const double bf16 = DistanceToGolden(case_, golden_, graph, weights, half);
  EXPECT_LT(bf16, case_.half_max);
  EXPECT_LE(bf16, golden_.torch_bf16);
  std::printf("  %-28s relative L2: f32 %.1e, bf16 %.2e (torch's own %.2e)\n", case_.golden, f32, bf16,
              golden_.torch_bf16);
}

INSTANTIATE_TEST_SUITE_P(All, Parity, testing::Range(0, static_cast<int>(Cases().size())),
                         [](const auto& info) {
                           return std::string(Cases()[static_cast<std::size_t>(info.param)].golden);
                         });

// What XL reads of a text encoder: the layer before the last, and the summary of the prompt.
TEST(Parity, OfTheSummaryAndTheLayerBeforeTheLast) {
  const Golden golden = ReadGolden("clip_summary");
  HashWeights weights;
  const Graph graph = BuildClipText(ReadClipConfig(ConfigOf(golden)).value(), weights, 1, 0,
                                    ClipTextResult::kBeforeLastAndSummary);
  EXPECT_EQ(weights.ListHash(), golden.names);
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const CpuBackend backend({.threads = 2});
    const auto plan = Plan::Freeze(graph, {.precision = precision}, backend, weights).value();
    FillIds(*plan);
    const auto ids = plan->IntegerInput("ids");
    plan->IntegerInput("end")[0] =
        static_cast<std::int32_t>(std::max_element(ids.begin(), ids.end()) - ids.begin());
    plan->Run();
    std::vector<float> both(plan->Output("hidden").begin(), plan->Output("hidden").end());
    const auto summary = plan->Output("summary");
    both.insert(both.end(), summary.begin(), summary.end());
    EXPECT_LT(DistanceToGolden(golden, both), precision == DType::kF32 ? 1e-5 : golden.torch_bf16);
  }
}

TEST(Parity, VaeHalvesTakeTheWholeCheckpoint) {
  const Golden golden = ReadGolden("vae_encoder");
  HashWeights weights;
  const VaeConfig config = ReadVaeConfig(ConfigOf(golden)).value();
  BuildVaeEncoder(config, weights, 1, 16, 16);
  BuildVaeTemporalDecoder(config, weights, {{1, 2}, 8, 8});
  EXPECT_EQ(weights.ListHash(), golden.names);
}

std::vector<float> Ran(const Graph& graph, const WeightSource& weights, const char* input,
                       std::span<const float> from, const char* output, const PassOptions& options) {
  const CpuBackend backend({.threads = 2});
  const auto plan = Plan::Freeze(graph, options, backend, weights);
  RINGWAY_CHECK(plan.ok() && (*plan)->Input(input).size() == from.size());
  std::ranges::copy(from, (*plan)->Input(input).begin());
  (*plan)->Run();
  return {(*plan)->Output(output).begin(), (*plan)->Output(output).end()};
}

// Encoder and decoder of a picture, one after the other, and every weight between them.
TEST(PictureVae, GoesThereAndBackWithTorch) {
  const Golden golden = ReadGolden("picture_vae");
  const VaeConfig config = ReadVaeConfig(ConfigOf(golden)).value();
  HashWeights weights;
  const Graph encoder = BuildVaeEncoder(config, weights, 2, 24, 16);
  const Graph decoder = BuildVaeDecoder(config, weights, 2, 12, 8);
  EXPECT_EQ(weights.ListHash(), golden.names);
  std::vector<float> picture(2 * 24 * 16 * 3);
  FillHashed("picture", picture);
  for (const bool half : {false, true}) {
    PassOptions options;
    if (half) options.precision = DType::kBF16;
    const std::vector<float> moments = Ran(encoder, weights, "picture", picture, "moments", options);
    std::vector<float> latent;
    for (std::size_t i = 0; i < moments.size(); ++i)
      if (i % 8 < 4) latent.push_back(moments[i]);
    const double distance =
        DistanceToGolden(golden, Ran(decoder, weights, "latent", latent, "picture", options));
    EXPECT_LT(distance, half ? std::min(2e-2, golden.torch_bf16) : 1e-5);
    std::printf("  picture vae, %s: relative L2 %.1e\n", half ? "bf16" : "f32", distance);
  }
}

// Old exports call the autoencoder's attention by other names: the same numbers, under whichever name.
class OldNames : public WeightSource {
 public:
  absl::Status Expect(std::string_view name, const std::vector<std::int64_t>& dims) override {
    if (Today(name) != name) ++taken_;
    return weights_.Expect(Today(name), dims);
  }
  absl::Status ReadRows(std::string_view name, std::int64_t first, std::int64_t row_elements,
                        std::span<float> out) const override {
    return weights_.ReadRows(Today(name), first, row_elements, out);
  }
  bool Has(std::string_view name) const override { return name.find(".to_q.") == std::string_view::npos; }
  int taken() const { return taken_; }

 private:
  static std::string Today(std::string_view name) {
    const std::pair<std::string_view, const char*> names[] = {
        {".query.", ".to_q."}, {".key.", ".to_k."}, {".value.", ".to_v."}, {".proj_attn.", ".to_out.0."}};
    std::string today(name);
    for (const auto& [old, now] : names)
      if (const std::size_t at = today.find(old); at != std::string::npos) today.replace(at, old.size(), now);
    return today;
  }
  HashWeights weights_;
  int taken_ = 0;
};

TEST(PictureVae, TakesTheNamesOfOldExports) {
  const VaeConfig config = ReadVaeConfig(ConfigOf(ReadGolden("picture_vae"))).value();
  HashWeights today;
  OldNames old;
  std::vector<float> latent(6 * 4 * 4);
  FillHashed("latent", latent);
  const std::vector<float> expected =
      Ran(BuildVaeDecoder(config, today, 1, 6, 4), today, "latent", latent, "picture", {});
  EXPECT_EQ(Ran(BuildVaeDecoder(config, old, 1, 6, 4), old, "latent", latent, "picture", {}), expected);
  EXPECT_EQ(old.taken(), 8);  // weight and bias of each
}

// A directory as it is downloaded: configuration and safetensors under stock names, here in two shards.
TEST(StockDirectory, LoadsByItsOwnNames) {
  const Golden golden = ReadGolden("svd_unet");
  const Case svd = Cases()[0];
  HashWeights hashed;
  svd.build(golden, hashed);
  const ScratchFolder folder;
  folder.Write(
      "model_index.json",
      R"({"_class_name":"StableVideoDiffusionPipeline","unet":["diffusers","UNetSpatioTemporalConditionModel"]})");
  folder.Write("unet/config.json", golden.config);
  std::vector<std::pair<std::string, Tensor>> shards[2];
  std::string map;
  for (const auto& [name, dims] : hashed.names()) {
    // A file keeps convolutions over time in five dimensions, one more than a Tensor needs: scalars of shape
    // fit too.
    Shape shape;
    for (const std::int64_t d : dims) shape.Append(d);
    auto& shard = shards[Fnv1a(name) % 2];
    shard.emplace_back(name, Tensor::FromFloats(shape, hashed.Take(name, dims).value()));
    map +=
        (map.empty() ? "\"" : ",\"") + name + "\":\"m-" + std::to_string(Fnv1a(name) % 2) + ".safetensors\"";
  }
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(
        WriteSafetensors(folder.path() / "unet" / ("m-" + std::to_string(i) + ".safetensors"), shards[i])
            .ok());
  folder.Write("unet/diffusion_pytorch_model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");

  const auto model = ModelDirectory::Open(folder.path());
  ASSERT_TRUE(model.ok()) << model.status();
  const auto config = ReadSvdUNetConfig(ReadComponentConfig(*model->Find("unet")).value());
  ASSERT_TRUE(config.ok()) << config.status();
  auto weights = Weights::OpenComponent(model->Find("unet")->directory);
  ASSERT_TRUE(weights.ok()) << weights.status();
  StoredWeights source(*weights);
  const Graph graph = BuildSvdUNet(*config, source, {{1, 3}, 8, 12}, 1);
  ASSERT_TRUE(graph.status().ok()) << graph.status();
  EXPECT_THAT(weights->Untaken(), testing::IsEmpty());
  EXPECT_LT(DistanceToGolden(svd, golden, graph, source, {}), 1e-3);
}

TEST(StockDirectory, SaysWhichWeightIsMissing) {
  const Golden golden = ReadGolden("svd_unet");
  const ScratchFolder folder;
  const std::pair<std::string, Tensor> one[] = {{"conv_in.weight", Tensor(DType::kF32, {32, 8, 3, 3})}};
  ASSERT_TRUE(WriteSafetensors(folder.path() / "model.safetensors", one).ok());
  Weights weights = Weights::OpenComponent(folder.path()).value();
  StoredWeights source(weights);
  const Graph graph = BuildSvdUNet(ReadSvdUNetConfig(ConfigOf(golden)).value(), source, {{1, 3}, 8, 12}, 1);
  EXPECT_THAT(std::string(graph.status().message()),
              testing::AllOf(testing::HasSubstr(
                  "model.safetensors: has no tensor \"time_embedding.linear_1.weight\" [128, 32]")));
}

// Of autoencoders and control networks as of UNets: the same key, with the file that has it.
TEST(Configuration, SaysWhichNumberOfNormGroupsDivides) {
  const auto config = [](const char* text, const char* file) {
    return Config(Json::Parse(text, "c").value(), file);
  };
  const char* odd = R"({"norm_num_groups":7,"block_out_channels":[32,64,64,64]})";
  EXPECT_THAT(std::string(ReadVaeConfig(config(odd, "vae/config.json")).status().message()),
              testing::HasSubstr("vae/config.json: \"norm_num_groups\" is 7; allowed: a divisor of all"));
  EXPECT_THAT(std::string(ReadControlNetConfig(config(odd, "edges/config.json")).status().message()),
              testing::HasSubstr("edges/config.json: \"norm_num_groups\" is 7; allowed: a divisor of all"));
  const auto narrow = ReadVaeConfig(config(R"({"block_out_channels":[24,48]})", "vae/config.json"));
  EXPECT_THAT(std::string(narrow.status().message()), testing::HasSubstr("or another norm_num_groups"));
  const auto told =
      ReadVaeConfig(config(R"({"block_out_channels":[24,48],"norm_num_groups":8})", "vae/config.json"));
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->norm_groups, 8);
  EXPECT_EQ(ReadVaeConfig(config("{}", "vae/config.json"))->norm_groups, kNormGroups);
}

TEST(Configuration, IsRefusedBeyondItsBounds) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"block_out_channels":[33]})", "multiples of 32"},
      {R"({"block_out_channels":[99999999]})", "from 1 to 8192"},
      {R"({"layers_per_block":9})", "\"layers_per_block\" is 9"},
      {R"({"down_block_types":["Attn3D"],"block_out_channels":[32],"up_block_types":["UpBlockSpatioTemporal"]})",
       "down_block_types"},
      {R"({"num_attention_heads":[3,3,3,3]})", "divisors"},
      {R"({"projection_class_embeddings_input_dim":700})", "three times"},
  };
  const std::pair<const char*, const char*> other_families[] = {
      {R"({"addition_embed_type":"text_image"})", "another family"},
      {R"({"addition_embed_type":"text_time","projection_class_embeddings_input_dim":1536})",
       "more than six times addition_time_embed_dim"},
      {R"({"norm_num_groups":7})", "\"norm_num_groups\" is 7; allowed: a divisor of all block_out_channels"},
      {R"({"norm_num_groups":0})", "\"norm_num_groups\" is 0; allowed: an integer from 1"},
      {R"({"norm_num_groups":48,"block_out_channels":[48,64,96,96]})", "\"norm_num_groups\" is 48"},
      {R"({"act_fn":"gelu"})", "\"act_fn\" is \"gelu\"; allowed: silu"},
      {R"({"only_cross_attention":true})", "\"only_cross_attention\" is"}};
  for (const auto& [text, says] : other_families) {
    const auto config = ReadSdUNetConfig(Config(Json::Parse(text, "c").value(), "unet/config.json"));
    EXPECT_THAT(std::string(config.status().message()), testing::HasSubstr(says)) << text;
  }
  for (const auto& [text, says] : wrong) {
    const auto config = ReadSvdUNetConfig(Config(Json::Parse(text, "c").value(), "unet/config.json"));
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(std::string(config.status().message()), testing::HasSubstr(says));
  }
}

}  // namespace
}  // namespace ringway::engine
