// Control networks: against the reference (tests/engine/reference/control.py), and as pictures see them: on,
// off, on a part of the way, several at once, and the wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/autoencoder.h"
#include "engine/networks/unet_sd.h"
#include "engine/pipelines/picture_pipeline.h"
#include "engine/plan/plan.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<float> HashedPicture(int number, std::size_t size) {
  std::vector<float> picture(size);
  FillHashed(absl::StrCat("picture", number), picture);
  for (float& x : picture) x = (x + 1) / 2;
  return picture;
}

// Of XL the inputs that are its own; of others they are empty.
void FillTold(Plan& plan, bool xl) {
  FillHashed("sample", plan.Input("sample"));
  FillHashed("context", plan.Input("context"));
  FillHashed("summary", plan.Input("summary"));
  const float sizes[] = {1024, 768, 0, 16, 512, 640};
  const auto told = plan.Input("sizes");
  for (std::size_t i = 0; i < told.size(); ++i) told[i] = sizes[i % std::size(sizes)];
  plan.Input("time")[0] = xl ? 801.0f : 501.0f;
}

class ControlParity : public testing::TestWithParam<const char*> {};

TEST_P(ControlParity, WithTorch) {
  const Golden golden = ReadGolden(GetParam());
  const SdUNetConfig config = ReadSdUNetConfig(ConfigOf(golden, "unet")).value();
  const ControlNetConfig control = ReadControlNetConfig(ConfigOf(golden, "control")).value();
  HashWeights all;
  PrefixedWeights unet_weights(all, "unet."), control_weights(all, "control.");
  const PictureSize size{2, 8, 12};
  const Graph unet_graph = BuildSdUNet(config, unet_weights, size, 77, /*controlled=*/true);
  const Graph condition_graph = BuildControlCondition(control, control_weights, 8, 12);
  const Graph control_graph = BuildControlNet(control, control_weights, size, 77);
  EXPECT_EQ(all.ListHash(), golden.names);
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const CpuBackend backend({.threads = 2});
    if (precision == DType::kBF16 && !backend.FastBf16()) continue;
    const PassOptions options{.precision = precision};
    const auto unet = Plan::Freeze(unet_graph, options, backend, unet_weights).value();
    const auto condition = Plan::Freeze(condition_graph, options, backend, control_weights).value();
    const auto net = Plan::Freeze(control_graph, options, backend, control_weights).value();
    for (Plan* plan : {unet.get(), net.get()}) FillTold(*plan, config.xl());
    const float strengths[] = {0.8f, -0.5f};
    for (int i = 0; i < 2; ++i) {
      std::ranges::copy(HashedPicture(i, condition->Input("picture").size()),
                        condition->Input("picture").begin());
      condition->Run();
      const auto made = condition->Output("condition");
      std::ranges::copy(made, net->Input("condition").begin());
      std::ranges::copy(made, net->Input("condition").begin() + static_cast<std::ptrdiff_t>(made.size()));
      net->Run();
      for (std::size_t k = 0; k <= SkipCount(config.layout); ++k) {
        const auto sum = unet->Input(ControlInput(k));
        const auto said = net->Output(ControlInput(k));
        ASSERT_EQ(sum.size(), said.size());
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += strengths[i] * said[j];
      }
    }
    unet->Run();
    const double distance = DistanceToGolden(golden, unet->Output("prediction"));
    std::printf("  %s, %s: %.1e\n", GetParam(), precision == DType::kF32 ? "f32" : "bf16", distance);
    EXPECT_LT(distance, precision == DType::kF32 ? 1e-5 : golden.torch_bf16);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ControlParity, testing::Values("controlled_unet", "controlled_xl_unet"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TinyEncoderParity, WithTorch) {
  const Golden golden = ReadGolden("tiny_encoder");
  HashWeights weights;
  const Autoencoder tiny(ReadTinyVaeConfig(ConfigOf(golden)).value());
  const Graph graph = tiny.BuildEncoder(weights, 6, 8);
  EXPECT_EQ(weights.ListHash(), golden.names);
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const CpuBackend backend({.threads = 2});
    if (precision == DType::kBF16 && !backend.FastBf16()) continue;
    const auto plan = Plan::Freeze(graph, {.precision = precision}, backend, weights).value();
    FillHashed("picture", plan->Input("picture"));
    tiny.ForEncoder(plan->Input("picture"));
    plan->Run();
    const auto latents = plan->Output("moments");
    const double distance = DistanceToGolden(golden, {latents.begin(), latents.end()});
    std::printf("  tiny encoder, %s: %.1e\n", precision == DType::kF32 ? "f32" : "bf16", distance);
    EXPECT_LT(distance, precision == DType::kF32 ? 1e-5 : golden.torch_bf16);
  }
}

TEST(TinyDecoderParity, WithTorch) {
  const Golden golden = ReadGolden("tiny_decoder");
  HashWeights weights;
  const Graph graph = BuildTinyDecoder(ReadTinyVaeConfig(ConfigOf(golden)).value(), weights, 6, 8);
  EXPECT_EQ(weights.ListHash(), golden.names);
  for (const DType precision : {DType::kF32, DType::kBF16}) {
    const CpuBackend backend({.threads = 2});
    if (precision == DType::kBF16 && !backend.FastBf16()) continue;
    const auto plan = Plan::Freeze(graph, {.precision = precision}, backend, weights).value();
    FillHashed("latent", plan->Input("latent"), 4.0f);
    SquashTinyLatents(plan->Input("latent"));
    plan->Run();
    std::vector<float> picture;
    for (const float x : plan->Output("picture")) picture.push_back(x * 2 - 1);
    const double distance = DistanceToGolden(golden, picture);
    std::printf("  tiny decoder, %s: %.1e\n", precision == DType::kF32 ? "f32" : "bf16", distance);
    EXPECT_LT(distance, precision == DType::kF32 ? 1e-5 : golden.torch_bf16);
  }
}

class Controlled : public testing::Test {
 protected:
  Controlled()
      : backend_({.threads = 2}),
        open_(std::make_shared<OpenModel>(backend_)),
        model_((WritePictureModel(folder_, "picture_sd1"), ModelDirectory::Open(folder_.path()).value())),
        pipeline_(PicturePipeline::Open({model_, backend_, 2, Precision::kBF16, open_}).value()) {
    WriteControlNet(folder_, "edges", "");
    WriteControlNet(folder_, "depth", "other");
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  ControlRequest Control(const std::string& name, double strength = 1) const {
    Picture seen = Picture::Blank(20, 30);
    for (std::size_t i = 0; i < seen.rgb.size(); ++i) seen.rgb[i] = static_cast<std::uint8_t>(i * 7);
    return {Path(name), seen, strength};
  }
  static PictureRequest Request(std::vector<ControlRequest> controls = {}) {
    PictureRequest request{.prompt = "the boat", .width = 24, .height = 16, .steps = 4};
    request.controls = std::move(controls);
    return request;
  }
  absl::StatusOr<DrawnPicture> Draw(const PictureRequest& request) {
    const AnimateProgressFn silent;
    ProgressTeller progress(silent);
    return pipeline_->Draw(request, progress, {});
  }
  Picture Drawn(const PictureRequest& request) {
    const auto drawn = Draw(request);
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? drawn->picture : Picture();
  }
  std::string Refusal(const ControlRequest& control) {
    return std::string(Draw(Request({control})).status().message());
  }

  ScratchFolder folder_;
  CpuBackend backend_;
  std::shared_ptr<OpenModel> open_;
  ModelDirectory model_;
  std::unique_ptr<PicturePipeline> pipeline_;
};

TEST_F(Controlled, OnOffAndWindowsFreezeNothingAndLeaveNoTrace) {
  const Picture plain = Drawn(Request()), controlled = Drawn(Request({Control("edges")}));
  EXPECT_NE(plain, controlled);
  ControlRequest early = Control("edges"), late = early;
  early.end = 0.5;
  late.begin = 0.5;
  const Picture at_first = Drawn(Request({early})), at_last = Drawn(Request({late}));
  EXPECT_NE(at_first, at_last);
  EXPECT_NE(at_first, plain);
  EXPECT_NE(at_first, controlled);
  const std::size_t frozen = open_->plans().frozen();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Drawn(Request()), plain) << "off is as if there were none";
    EXPECT_EQ(Drawn(Request({Control("edges")})), controlled);
    EXPECT_EQ(Drawn(Request({late})), at_last);
    EXPECT_EQ(Drawn(Request({early})), at_first);
  }
  EXPECT_EQ(open_->plans().frozen(), frozen) << "turning it on, off or elsewhere makes no plan";
}

std::vector<std::tuple<std::string, std::string, int, int, double>> Work(const Profile& profile) {
  std::vector<std::tuple<std::string, std::string, int, int, double>> work;
  for (const ProfileEntry& e : profile.entries)
    work.emplace_back(e.part, e.operation, e.runs, e.kernels, e.flops);
  std::sort(work.begin(), work.end());
  return work;
}

TEST_F(Controlled, OffIsTheVeryPlanThatRunsWithout) {
  const Picture plain = Drawn(Request());
  const Plan* plan = pipeline_->plain_plan();
  ASSERT_NE(plan, nullptr);
  const Hash128 key = plan->key();
  const std::size_t steps = plan->report().steps, frozen = open_->plans().frozen(),
                    bytes = open_->packed_bytes();
  const auto without = Work(*pipeline_->Measure(Request(), 1));
  ControlRequest nowhere = Control("edges");  // no step of four lies in it
  nowhere.begin = 0.3, nowhere.end = 0.45;
  for (const ControlRequest& off : {Control("edges", 0), nowhere}) {
    EXPECT_EQ(Drawn(Request({off})), plain);
    EXPECT_EQ(pipeline_->plain_plan(), plan) << "the very plan";
    EXPECT_EQ(plan->report().steps, steps);
    EXPECT_EQ(plan->key(), key);
    EXPECT_EQ(Work(*pipeline_->Measure(Request({off}), 1)), without) << "as many kernels, of the same work";
  }
  EXPECT_EQ(open_->plans().frozen(), frozen) << "no plan is built for what is off, not even the first time";
  EXPECT_EQ(open_->packed_bytes(), bytes) << "nor is a weight packed";
  const Picture controlled = Drawn(Request({Control("edges")}));
  EXPECT_NE(controlled, plain);
  EXPECT_GT(Work(*pipeline_->Measure(Request({Control("edges")}), 1)).size(), without.size());
  EXPECT_EQ(Drawn(Request()), plain);
  EXPECT_EQ(pipeline_->plain_plan(), plan) << "after it was on, too";
  EXPECT_EQ(Work(*pipeline_->Measure(Request({Control("edges", 0)}), 1)), without);
}

TEST_F(Controlled, StrengthCountsAndSeveralAddUp) {
  const Picture one = Drawn(Request({Control("edges", 0.5)}));
  EXPECT_NE(Drawn(Request({Control("edges", 1)})), one);
  EXPECT_NE(Drawn(Request({Control("edges", 0.5), Control("depth", 0.5)})), one);
  EXPECT_EQ(Drawn(Request({Control("edges", 0.5), Control("depth", 0)})), one);
  // Rounded otherwise, so not to the bit.
  const Picture halves = Drawn(Request({Control("edges", 0.25), Control("edges", 0.25)}));
  double sum = 0;
  for (std::size_t i = 0; i < one.rgb.size(); ++i) sum += std::abs(int{one.rgb[i]} - int{halves.rgb[i]});
  EXPECT_LT(sum / static_cast<double>(one.rgb.size()), 4);
  const auto nothing = Draw(Request({Control("edges", 0)}));
  EXPECT_EQ(nothing->picture, Drawn(Request()));
  EXPECT_THAT(nothing->notes, testing::Contains(HasSubstr("it had no effect")));
}

TEST_F(Controlled, AnotherPictureIsFollowedOtherwise) {
  ControlRequest black = Control("edges");
  std::ranges::fill(black.picture.rgb, 0);
  EXPECT_NE(Drawn(Request({black})), Drawn(Request({Control("edges")})));
}

TEST_F(Controlled, WrongNetworksAreNamedAndTheModelGoesOn) {
  const Picture plain = Drawn(Request());
  EXPECT_THAT(Refusal(Control("nowhere")), HasSubstr("nowhere"));
  EXPECT_THAT(Refusal(Control("vae")), HasSubstr("vae/config.json"));
  const auto config = [&](const std::string& from, const std::string& to) {
    WriteControlNet(folder_, "wrong", "");
    std::ifstream stream(folder_.path() / "wrong/config.json");
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    text.replace(text.find(from), from.size(), to);
    folder_.Write("wrong/config.json", text);
    return Refusal(Control("wrong"));
  };
  EXPECT_THAT(config("[32,64,64]", "[32,64,32]"),
              AllOf(HasSubstr("wrong/config.json"), HasSubstr("different models")));
  EXPECT_THAT(config("\"cross_attention_dim\":40", "\"cross_attention_dim\":48"),
              HasSubstr("a context of 48"));
  EXPECT_THAT(config("ControlNetModel", "T2IAdapter"), HasSubstr("_class_name"));
  EXPECT_THAT(
      config("[16,32,96,256]", "[16,32,96,128]"),
      AllOf(HasSubstr("wrong/diffusion_pytorch_model.safetensors"), HasSubstr("controlnet_cond_embedding")));
  WriteControlNet(folder_, "cut", "");
  const auto weights = folder_.path() / "cut/diffusion_pytorch_model.safetensors";
  std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 1000);
  EXPECT_THAT(Refusal(Control("cut")), HasSubstr("cut/diffusion_pytorch_model.safetensors"));
  EXPECT_THAT(Refusal(Control("edges", std::nan(""))), HasSubstr("strength"));
  ControlRequest nothing = Control("edges");
  nothing.begin = nothing.end = 0.5;
  EXPECT_THAT(Refusal(nothing), HasSubstr("window"));
  EXPECT_THAT(std::string(Draw(Request(std::vector(5, Control("edges")))).status().message()),
              HasSubstr("at most 4"));
  EXPECT_EQ(Drawn(Request()), plain);
  EXPECT_NE(Drawn(Request({Control("edges")})), plain);
}

}  // namespace
}  // namespace ringway::engine
