// GGUF files: numbers as the format defines them, whole models from them, and files with something wrong.
#include "engine/checkpoint/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "engine/checkpoint/weights.h"
#include "engine/networks/original_names.h"
#include "engine/networks/unet_sd.h"
#include "engine/picture_engine.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/gguf_files.h"
#include "tests/engine/mutation.h"
#include "tests/engine/picture_files.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<float> Hashed(const std::string& name, std::size_t count) {
  std::vector<float> values(count);
  FillHashed(name, values);
  return values;
}

TEST(Gguf, ReadsNumbersOfEveryKind) {
  const ScratchFolder folder;
  const std::vector<GgufTensor> tensors = {{"f32", {3, 2}, GgufType::kF32, Hashed("a", 6)},
                                           {"f16", {2, 3, 1, 1}, GgufType::kF16, Hashed("b", 6)},
                                           {"bf16", {5}, GgufType::kBF16, Hashed("c", 5)},
                                           {"q8", {4, 64}, GgufType::kQ8, Hashed("d", 256)},
                                           {"q4", {4, 64}, GgufType::kQ4, Hashed("e", 256)}};
  Weights weights = Weights::Open(folder.Write("all.gguf", GgufFile(tensors, 64))).value();
  const double most[] = {0, 5e-4, 4e-3, 1.0 / 254 + 1e-3, 1.0 / 8 + 1e-2};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const GgufTensor& tensor = tensors[i];
    ASSERT_TRUE(weights.Expect(tensor.name, tensor.dims).ok()) << tensor.name;
    std::vector<float> all(tensor.values.size());
    const auto row = static_cast<std::int64_t>(all.size()) / tensor.dims[0];
    ASSERT_TRUE(weights.ReadRows(tensor.name, 0, row, all).ok());
    for (std::size_t k = 0; k < all.size(); ++k)
      ASSERT_NEAR(all[k], tensor.values[k], most[i]) << tensor.name << " " << k;
    // Rows are read alone as well, from the middle of a block too.
    std::vector<float> one(static_cast<std::size_t>(row));
    ASSERT_TRUE(weights.ReadRows(tensor.name, 1, row, one).ok());
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + row)) << tensor.name;
  }
}

// Written out by hand: a scale of 0.5, then the numbers.
TEST(Gguf, BlocksAreWhatTheFormatSays) {
  std::string q8, q4;
  Put<std::uint16_t>(q8, 0x3800);
  for (int i = 0; i < 32; ++i) Put(q8, static_cast<std::int8_t>(i - 16));
  Put<std::uint16_t>(q4, 0x3800);
  for (int i = 0; i < 16; ++i) Put(q4, static_cast<std::uint8_t>(i | (15 - i) << 4));
  std::vector<float> eight(32), four(32);
  ReadQ8(reinterpret_cast<const std::byte*>(q8.data()), 0, eight);
  ReadQ4(reinterpret_cast<const std::byte*>(q4.data()), 0, four);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(eight[static_cast<std::size_t>(i)], 0.5f * static_cast<float>(i - 16));
    const int number = i < 16 ? i : 31 - i;
    EXPECT_EQ(four[static_cast<std::size_t>(i)], 0.5f * static_cast<float>(number - 8)) << i;
  }
}

std::string Refusal(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file.data(), file.size()));
  return std::string(ParseGguf(bytes, "wrong.gguf").status().message());
}

TEST(Gguf, WrongFilesAreToldByRuleAndTensor) {
  const std::vector<GgufTensor> right = {{"a", {2, 32}, GgufType::kQ8, Hashed("a", 64)},
                                         {"b", {8}, GgufType::kF32, Hashed("b", 8)}};
  const std::string whole = GgufFile(right);
  EXPECT_EQ(Refusal(whole), "");
  EXPECT_THAT(Refusal("safe"), HasSubstr("does not begin with GGUF"));
  for (std::size_t cut = 4; cut + 1 < whole.size(); cut += 7)
    EXPECT_NE(Refusal(whole.substr(0, cut)), "") << "cut at " << cut;
  EXPECT_THAT(Refusal(whole.substr(0, whole.size() - 1)), AllOf(HasSubstr("\"b\""), HasSubstr("truncated")));
  const auto with = [&](std::size_t at, auto value) {
    std::string file = whole;
    std::memcpy(file.data() + at, &value, sizeof(value));
    return Refusal(file);
  };
  EXPECT_THAT(with(4, std::uint32_t{1}), HasSubstr("GGUF of version 1; 2 and 3 are read"));
  EXPECT_THAT(with(8, std::uint64_t{1} << 40), HasSubstr("at most 65536"));
  EXPECT_THAT(with(16, ~std::uint64_t{0}), HasSubstr("at most 65536"));
  EXPECT_THAT(with(24, ~std::uint64_t{0}), HasSubstr("ends within its header"));
  const auto refused = [](GgufTensor tensor) { return Refusal(GgufFile({std::move(tensor)})); };
  EXPECT_THAT(refused({"odd", {2, 33}, GgufType::kQ4, {}}),
              AllOf(HasSubstr("\"odd\""), HasSubstr("no multiple of 32")));
  EXPECT_THAT(refused({"k", {2, 256}, static_cast<GgufType>(12), {}}),
              AllOf(HasSubstr("\"k\" is of q4_K"), HasSubstr("q8_0 and q4_0 are read")));
  EXPECT_THAT(refused({"new", {2, 2}, static_cast<GgufType>(77), {}}), HasSubstr("type 77"));
  EXPECT_THAT(refused({"five", {1, 1, 1, 1, 1}, GgufType::kF32, {0}}), HasSubstr("has 5 axes"));
  EXPECT_THAT(refused({"none", {0}, GgufType::kF32, {}}), HasSubstr("impossible shape"));
  EXPECT_THAT(refused({"huge", {1 << 30, 1 << 30}, GgufType::kF32, {}}), HasSubstr("impossible shape"));
  EXPECT_THAT(refused({"", {1}, GgufType::kF32, {0}}), HasSubstr("a name of 0 bytes"));
  EXPECT_THAT(Refusal(GgufFile({{"t", {1}, GgufType::kF32, {1}}, {"t", {1}, GgufType::kF32, {1}}})),
              HasSubstr("\"t\" is there twice"));
  EXPECT_THAT(Refusal(GgufFile(right, 12)), HasSubstr("\"general.alignment\" is 12"));
  std::string over = GgufFile(
      {{"first", {8}, GgufType::kF32, Hashed("a", 8)}, {"second", {8}, GgufType::kF32, Hashed("b", 8)}});
  const std::size_t offset = over.find("second") + 6 + 4 + 8 + 4;
  over[offset] = 0;
  EXPECT_THAT(Refusal(over), HasSubstr("overlaps"));
}

TEST(Gguf, NumbersThatAreNotFiniteAreFoundWhenTheyAreRead) {
  const ScratchFolder folder;
  Weights weights =
      Weights::Open(folder.Write("nan.gguf", GgufFile({{"n", {2}, GgufType::kF32, {1, NAN}}}))).value();
  std::vector<float> two(2);
  EXPECT_THAT(std::string(weights.ReadRows("n", 0, 1, two).message()),
              AllOf(HasSubstr("nan.gguf"), HasSubstr("\"n\" holds nan at element 1")));
}

TEST(Gguf, SurvivesDamagedFiles) {
  const std::string valid = GgufFile({{"a", {2, 32}, GgufType::kQ8, Hashed("a", 64)},
                                      {"b", {2, 32}, GgufType::kQ4, Hashed("b", 64)},
                                      {"c", {3, 2}, GgufType::kF16, Hashed("c", 6)}});
  ASSERT_TRUE(FuzzGguf(valid));
  int refused = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) refused += FuzzGguf(Mutated(valid, i)) ? 0 : 1;
  EXPECT_GT(refused, 500);
}

class GgufModel : public testing::Test {
 protected:
  GgufModel() {
    WritePictureModel(folder_, "picture_sd1");
    layout_ = ReadSdUNetConfig(Config::Read(folder_.path() / "unet/config.json").value()).value().layout;
  }
  // The UNet of the directory under the names of stable-diffusion.cpp; matrices as `type`, the rest f32.
  std::vector<GgufTensor> UNet(const std::string& prefix, GgufType type) const {
    const OriginalNames names = OriginalNames::OfUNet(layout_);
    const Weights weights = Weights::OpenComponent(folder_.path() / "unet").value();
    std::vector<GgufTensor> tensors;
    for (const StoredTensor* stored : weights.All()) {
      GgufTensor tensor{prefix + names.OriginalName(stored->name).value(), stored->dims};
      tensor.values.resize(static_cast<std::size_t>(stored->elements()));
      EXPECT_TRUE(
          weights.ReadRows(stored->name, 0, stored->elements() / stored->dims[0], tensor.values).ok());
      if (stored->dims.size() == 2 && stored->dims[1] % 32 == 0) tensor.type = type;
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }
  absl::StatusOr<Picture> Drawn(const std::filesystem::path& model, bool with_config = true) const {
    auto engine = PictureEngine::Open(
        model, {.threads = 2, .configuration = with_config ? folder_.path().string() : ""});
    if (!engine.ok()) return engine.status();
    const auto drawn = (*engine)->Draw({.prompt = "the boat", .width = 32, .height = 32, .steps = 3}, {}, {});
    if (!drawn.ok()) return drawn.status();
    return drawn->picture;
  }
  static double Mean(const Picture& a, const Picture& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(int{a.rgb[i]} - int{b.rgb[i]});
    return sum / static_cast<double>(a.rgb.size());
  }

  ScratchFolder folder_;
  UNetLayout layout_;
};

TEST_F(GgufModel, DrawsWithTheUNetOfAFileAndTheRestOfTheDirectory) {
  const Picture whole = Drawn(folder_.path(), false).value();
  for (const char* prefix : {"model.diffusion_model.", ""}) {
    const auto exact = Drawn(folder_.Write("f32.gguf", GgufFile(UNet(prefix, GgufType::kF32))));
    ASSERT_TRUE(exact.ok()) << exact.status();
    EXPECT_EQ(*exact, whole) << "the same numbers, the same picture";
  }
  const auto eight = Drawn(folder_.Write("q8.gguf", GgufFile(UNet("", GgufType::kQ8))));
  const auto four = Drawn(folder_.Write("q4.gguf", GgufFile(UNet("", GgufType::kQ4))));
  ASSERT_TRUE(eight.ok() && four.ok()) << eight.status() << four.status();
  std::printf("  mean difference of a byte: q8_0 %.2f, q4_0 %.2f\n", Mean(*eight, whole), Mean(*four, whole));
  EXPECT_GT(Mean(*eight, whole), 0);
  EXPECT_LT(Mean(*eight, whole), 8);
  EXPECT_LT(Mean(*eight, whole), Mean(*four, whole));
}

TEST_F(GgufModel, WhatIsMissingOrOfAnotherModelIsNamed) {
  std::vector<GgufTensor> tensors = UNet("", GgufType::kF32);
  const auto refusal = [&](const std::vector<GgufTensor>& of) {
    return std::string(Drawn(folder_.Write("wrong.gguf", GgufFile(of))).status().message());
  };
  std::vector<GgufTensor> missing = tensors;
  std::erase_if(missing, [](const GgufTensor& t) { return t.name == "middle_block.0.in_layers.2.weight"; });
  EXPECT_THAT(refusal(missing), AllOf(HasSubstr("wrong.gguf"),
                                      HasSubstr("has no tensor \"mid_block.resnets.0.conv1.weight\"")));
  std::vector<GgufTensor> more = tensors;
  more.push_back({"input_blocks.77.0.weight", {1}, GgufType::kF32, {0}});
  EXPECT_THAT(refusal(more), HasSubstr("input_blocks.77.0.weight"));
  for (GgufTensor& tensor : tensors)
    if (tensor.name == "out.2.bias") tensor.dims = {2, 2};
  EXPECT_THAT(refusal(tensors), AllOf(HasSubstr("conv_out.bias"), HasSubstr("has shape [2, 2]")));
  EXPECT_THAT(std::string(Drawn(folder_.path() / "wrong.gguf", false).status().message()),
              HasSubstr("--config"));
}

}  // namespace
}  // namespace ringway::engine
