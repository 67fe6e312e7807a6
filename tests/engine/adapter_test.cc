// Adapters: against the reference (tests/engine/reference/adapters.py), in every dialect of their keys, and
// as overlays that come and go without a trace.
#include "engine/adapters/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/adapters/adapted_weights.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/networks/unet_sd.h"
#include "engine/pipelines/overlays.h"
#include "engine/plan/plan.h"
#include "tests/engine/golden.h"
#include "tests/engine/model_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Tensors = std::vector<std::pair<std::string, Tensor>>;

Tensor HashedTensor(const std::string& name, const Shape& shape, float scale, float offset) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  FillHashed(name, values, scale);
  for (float& v : values) v += offset;
  return Tensor::FromFloats(shape, values);
}

// The UNet of the golden file, in a file, and what is open of it.
class Adapters : public testing::Test {
 protected:
  Adapters() {
    HashWeights all;
    WriteComponentWeights(folder_, "unet/diffusion_pytorch_model.safetensors", all, [&](HashWeights& w) {
      BuildSdUNet(unet_, w, {1, 8, 12}, 77);
    });
    names_ = all.ListHash();
    weights_.source =
        std::make_shared<StoredWeights>(Weights::OpenComponent(folder_.path() / "unet").value());
    weights_.set = std::make_shared<WeightSet>(weights_.source);
    parts_ = {{"unet", &weights_.source->stored()}};
  }
  std::string Write(const std::string& name, const Tensors& tensors) const {
    const auto path = folder_.path() / name;
    RINGWAY_CHECK(WriteSafetensors(path, tensors).ok());
    return path.string();
  }
  // The files of the golden case.
  std::vector<AdapterFile> GoldenFiles() const {
    std::vector<AdapterFile> files;
    for (const Json& file : *config_.Find("adapters")->array()) {
      Tensors tensors;
      for (const auto& [name, of] : *file.Find("tensors")->object()) {
        const Json::Array& listed = *of.array();
        Shape shape;
        for (const Json& dim : *listed[0].array()) shape.Append(*dim.integer());
        tensors.emplace_back(name, HashedTensor(name, shape, static_cast<float>(listed[1].number()),
                                                static_cast<float>(listed[2].number())));
      }
      files.push_back({Write(absl::StrCat("golden", files.size(), ".safetensors"), tensors),
                       file.Find("strength")->number()});
    }
    return files;
  }
  std::shared_ptr<WeightSet> Overlay(const std::vector<AdapterFile>& files) {
    const auto choices = overlays_.Choose(files, parts_);
    RINGWAY_CHECK(choices.ok());
    return overlays_.SetOf("unet", weights_, *choices).value();
  }
  std::unique_ptr<Plan> Freeze(const std::shared_ptr<WeightSet>& set, DType precision = DType::kF32) const {
    return Plan::Freeze(BuildSdUNet(unet_, *weights_.source, {1, 8, 12}, 77), {.precision = precision},
                        backend_, set)
        .value();
  }
  static std::vector<float> Run(Plan& plan) {
    FillHashed("sample", plan.Input("sample"));
    FillHashed("context", plan.Input("context"));
    plan.Input("time")[0] = 501.0f;
    plan.Run();
    return {plan.Output("prediction").begin(), plan.Output("prediction").end()};
  }
  void Bind(Plan& plan, const std::shared_ptr<WeightSet>& set) const {
    const std::vector<std::string> names(plan.names().begin(), plan.names().end());
    ASSERT_TRUE(plan.Bind(set, names).ok());
  }
  std::string Refusal(const Tensors& tensors) {
    return std::string(overlays_.Choose({{Write("wrong.safetensors", tensors)}}, parts_).status().message());
  }

  ScratchFolder folder_;
  Golden golden_ = ReadGolden("sd_unet_adapters");
  Json config_ = Json::Parse(golden_.config, "golden").value();
  SdUNetConfig unet_ = ReadSdUNetConfig(Config(*config_.Find("unet"), "golden")).value();
  CpuBackend backend_{{.threads = 2}};
  std::uint64_t names_ = 0;
  ComponentWeights weights_;
  std::vector<AdaptedPart> parts_;
  Overlays overlays_;
};

TEST_F(Adapters, AreThoseOfTheReference) {
  EXPECT_EQ(names_, golden_.names);
  const auto overlay = Overlay(GoldenFiles());
  const double f32 = DistanceToGolden(golden_, Run(*Freeze(overlay)));
  EXPECT_LT(f32, 1e-5);
  const double bf16 = DistanceToGolden(golden_, Run(*Freeze(overlay, DType::kBF16)));
  EXPECT_LT(bf16, 2e-2);
  EXPECT_LE(bf16, golden_.torch_bf16);
  EXPECT_GT(DistanceToGolden(golden_, Run(*Freeze(weights_.set))), 0.05) << "they change something";
  std::printf("  four adapters, eleven weights: relative L2 f32 %.1e, bf16 %.2e\n", f32, bf16);
}

constexpr char kLayer[] = "down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q";

// Down and up of one layer, whose numbers do not depend on the names.
Tensors Pair(const std::string& down, const std::string& up, std::int64_t rank = 4, std::int64_t in = 32,
             std::int64_t out = 32) {
  return {{down, HashedTensor("down", {rank, in}, 1, 0)}, {up, HashedTensor("up", {out, rank}, 1, 0)}};
}

TEST_F(Adapters, OfEveryDialectAreTheSame) {
  const std::string flat = absl::StrCat("lora_unet_", absl::StrReplaceAll(kLayer, {{".", "_"}}));
  const std::string peft = absl::StrCat("base_model.model.", kLayer), dotted = absl::StrCat("unet.", kLayer);
  const std::string old = absl::StrReplaceAll(dotted, {{".to_q", ".processor.to_q"}});
  const auto run = [&](const Tensors& tensors, const std::string& name = "one.safetensors") {
    return Run(*Freeze(Overlay({{Write(name, tensors), 0.5}})));
  };
  const auto expected = run(Pair(flat + ".lora_down.weight", flat + ".lora_up.weight"));
  EXPECT_NE(expected, Run(*Freeze(weights_.set)));
  EXPECT_EQ(run(Pair(dotted + ".lora_A.weight", dotted + ".lora_B.weight")), expected);
  EXPECT_EQ(run(Pair(dotted + ".lora.down.weight", dotted + ".lora.up.weight")), expected);
  EXPECT_EQ(run(Pair(old + "_lora.down.weight", old + "_lora.up.weight")), expected);
  EXPECT_EQ(run(Pair(peft + ".lora_A.weight", peft + ".lora_B.weight")), expected);
  EXPECT_EQ(run(Pair(peft + ".lora_A.default.weight", peft + ".lora_B.default.weight")), expected);
  // alpha, in the file or where peft keeps it, counts by the rank.
  Tensors scaled = Pair(flat + ".lora_down.weight", flat + ".lora_up.weight");
  scaled.emplace_back(flat + ".alpha", Tensor::FromFloats({}, std::vector<float>{8.0f}));
  const auto twice = run(scaled);
  EXPECT_NE(twice, expected);
  folder_.Write("adapter_config.json", R"({"r":4,"lora_alpha":8})");
  EXPECT_EQ(run(Pair(peft + ".lora_A.weight", peft + ".lora_B.weight"), "adapter_model.safetensors"), twice);
  folder_.Write("adapter_config.json", R"({"r":4,"lora_alpha":4,"use_rslora":true})");
  Write("adapter_model.safetensors", {});
  EXPECT_EQ(run(Pair(peft + ".lora_A.weight", peft + ".lora_B.weight"), "adapter_model.safetensors"), twice);
}

TEST_F(Adapters, ComeAndGoAHundredTimesWithoutATrace) {
  const auto files = GoldenFiles();
  const auto plan = Freeze(weights_.set, DType::kBF16);
  const std::vector<float> base = Run(*plan);
  const std::vector<float> adapted = Run(*Freeze(Overlay(files), DType::kBF16));
  const std::size_t bytes = weights_.set->packed_bytes(), derived = weights_.set->derived_weights();
  EXPECT_LT(Overlay(files)->derived_weights(), 15u) << "only what adapters touch";
  for (int time = 0; time < 100; ++time) {
    Bind(*plan, Overlay(files));
    ASSERT_EQ(Run(*plan), adapted) << time;
    Bind(*plan, weights_.set);
    ASSERT_EQ(Run(*plan), base) << time;
  }
  EXPECT_EQ(weights_.set->packed_bytes(), bytes);
  EXPECT_EQ(weights_.set->derived_weights(), derived);
}

// Each with a plan of its own, over the same packed weights.
TEST_F(Adapters, OfOneRequestAreNotSeenByAnotherAtTheSameTime) {
  const auto files = GoldenFiles();
  const std::vector<std::shared_ptr<WeightSet>> sets = {weights_.set, Overlay(files), Overlay({files[0]}),
                                                        Overlay({files[2], files[0]})};
  std::vector<std::vector<float>> alone;
  for (const auto& set : sets) alone.push_back(Run(*Freeze(set)));
  EXPECT_NE(alone[1], alone[2]);
  std::vector<std::thread> requests;
  std::atomic<int> right = 0;
  for (std::size_t i = 0; i < sets.size(); ++i)
    requests.emplace_back([&, i] {
      const auto plan = Freeze(weights_.set);
      for (int time = 0; time < 5; ++time) {
        Bind(*plan, sets[i]);
        right += Run(*plan) == alone[i] ? 1 : 0;
        Bind(*plan, weights_.set);
      }
    });
  for (std::thread& request : requests) request.join();
  EXPECT_EQ(right, 20);
}

TEST_F(Adapters, AddUpInAnyOrderAndByTheirStrengths) {
  const auto files = GoldenFiles();
  const std::vector<float> base = Run(*Freeze(weights_.set));
  EXPECT_EQ(Run(*Freeze(Overlay({{files[0].path, 0.0}}))), base);
  EXPECT_EQ(Overlay({{files[0].path, 0.0}}), weights_.set);
  const auto half = Run(*Freeze(Overlay({{files[0].path, 0.4}})));
  EXPECT_NE(half, Run(*Freeze(Overlay({files[0]}))));
  EXPECT_EQ(Run(*Freeze(Overlay({files[1], files[0]}))), Run(*Freeze(Overlay({files[0], files[1]}))))
      << "they touch different weights";
}

TEST_F(Adapters, AreKeptWithinTheirBytes) {
  const auto files = GoldenFiles();
  Overlays small(1);
  const auto choices = small.Choose({files[0]}, parts_).value();
  const auto set = small.SetOf("unet", weights_, choices).value();
  EXPECT_EQ(small.SetOf("unet", weights_, choices).value(), set) << "the newest is kept";
  const std::vector<float> adapted = Run(*Freeze(set));
  const auto others = small.Choose({files[1]}, parts_).value();
  const auto other = small.SetOf("unet", weights_, others).value();
  Freeze(other);
  const auto again = small.SetOf("unet", weights_, small.Choose({files[0]}, parts_).value()).value();
  EXPECT_NE(again, set) << "the oldest went";
  EXPECT_EQ(Run(*Freeze(again)), adapted);
}

TEST_F(Adapters, ThatDoNotFitAreRefusedByName) {
  const std::string flat = absl::StrCat("lora_unet_", absl::StrReplaceAll(kLayer, {{".", "_"}}));
  const std::string down = flat + ".lora_down.weight", up = flat + ".lora_up.weight";
  const auto with = [&](const std::string& name, const Shape& shape) {
    Tensors tensors = Pair(down, up);
    tensors.emplace_back(name, HashedTensor(name, shape, 1, 0));
    return tensors;
  };
  EXPECT_THAT(Refusal(Pair(down, up, 4, 640, 640)),
              AllOf(HasSubstr("wrong.safetensors: tensor \"" + down + "\" has shape [4, 640]"),
                    HasSubstr(absl::StrCat("\"", kLayer, ".weight\" of this model has shape [32, 32]")),
                    HasSubstr("for another model")));
  EXPECT_THAT(Refusal(Pair(down, up, 4, 32, 64)), HasSubstr("\"" + up + "\" has shape [64, 4]"));
  EXPECT_THAT(
      Refusal({{down, Tensor(DType::kF32, {4, 32})}, {up, Tensor(DType::kF32, {32, 8})}}),
      AllOf(HasSubstr("\"" + up + "\" has shape [32, 8]"), HasSubstr("the rank of \"" + down + "\" is 4")));
  EXPECT_THAT(Refusal({{down, Tensor(DType::kF32, {4, 32})}}), HasSubstr("has no up (B) matrix"));
  EXPECT_THAT(Refusal({{flat + ".alpha", Tensor(DType::kF32, {1})}}), HasSubstr("has no down (A) matrix"));
  EXPECT_THAT(Refusal(with("lora_unet_no_such_layer.lora_down.weight", {4, 32})),
              AllOf(HasSubstr("lora_unet_no_such_layer"), HasSubstr("for another model")));
  EXPECT_THAT(Refusal(with("lora_te2_text_model_final.lora_down.weight", {4, 32})),
              HasSubstr("adapts the text_encoder_2, which this model does not have"));
  EXPECT_THAT(Refusal(with(flat + ".hada_w1_a", {4, 32})),
              AllOf(HasSubstr("hada_w1_a\" is of no kind"), HasSubstr("LoHa")));
  EXPECT_THAT(Refusal(with(flat + ".dora_scale", {5, 1})),
              HasSubstr("a length for each of 32 rows or inputs"));
  EXPECT_THAT(Refusal(with(flat + ".alpha", {2})), HasSubstr("alpha is one number"));
  EXPECT_THAT(Refusal(with(absl::StrCat("unet.", kLayer, ".lora_A.weight"), {4, 32})),
              HasSubstr("has no up (B) matrix"));
  EXPECT_THAT(Refusal({}), HasSubstr("adapts nothing"));
  Tensors infinite = Pair(down, up);
  infinite[0].second.As<float>()[5] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Refusal(infinite), AllOf(HasSubstr(down), HasSubstr("at element 5")));
  EXPECT_THAT(std::string(overlays_.Choose({{"/nowhere.safetensors"}}, parts_).status().message()),
              HasSubstr("/nowhere.safetensors"));
  EXPECT_THAT(
      std::string(
          overlays_.Choose({{Write("right.safetensors", Pair(down, up)), 11}}, parts_).status().message()),
      HasSubstr("strength is 11"));
  EXPECT_EQ(Run(*Freeze(weights_.set)), Run(*Freeze(std::make_shared<WeightSet>(weights_.source))))
      << "nothing was half loaded";
}

}  // namespace
}  // namespace ringway::engine
