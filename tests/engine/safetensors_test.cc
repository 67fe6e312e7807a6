#include "engine/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/weights.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

absl::StatusOr<SafetensorsHeader> Parse(const std::string& file) {
  return ParseSafetensors(std::as_bytes(std::span(file.data(), file.size())), "m.safetensors");
}

std::vector<float> Read(const Weights& weights, std::string_view name, std::int64_t first, std::int64_t row,
                        std::size_t count) {
  std::vector<float> values(count);
  const absl::Status status = weights.ReadRows(name, first, row, values);
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST(Safetensors, WritesAndReadsBack) {
  const ScratchFolder folder;
  const std::vector<float> numbers = {1.0f, -2.5f, 3.14159f, 1e-20f, 0.0f, 65504.0f};
  const std::pair<std::string, Tensor> tensors[] = {
      {"b.weight", Tensor::FromFloats({2, 3}, numbers)},
      {"a \"quoted\"\n", Tensor::FromFloats({6}, numbers).To(DType::kBF16)},
  };
  const std::pair<std::string, std::string> metadata[] = {{"format", "pt"}};
  const auto path = folder.path() / "m.safetensors";
  ASSERT_TRUE(WriteSafetensors(path, tensors, metadata).ok());
  auto weights = Weights::Open(path);
  ASSERT_TRUE(weights.ok()) << weights.status();
  ASSERT_TRUE(weights->Expect("b.weight", {2, 3}).ok());
  EXPECT_EQ(Read(*weights, "b.weight", 0, 3, 6), numbers);
  EXPECT_EQ(Read(*weights, "b.weight", 1, 3, 3), std::vector<float>(numbers.begin() + 3, numbers.end()));
  ASSERT_TRUE(weights->Expect("a \"quoted\"\n", {6}).ok());
  const auto rounded = Read(*weights, "a \"quoted\"\n", 0, 1, 6);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(rounded[i], ToFloat(ToBFloat16(numbers[i])));
  EXPECT_TRUE(weights->Untaken().empty());
  const auto file = MappedFile::Open(path);
  const auto header = ParseSafetensors(file->bytes(), "m");
  EXPECT_EQ(header->metadata, (std::vector<std::pair<std::string, std::string>>{{"format", "pt"}}));
}

TEST(Safetensors, WidensHalfPrecisionExactly) {
  EXPECT_EQ(HalfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(HalfToFloat(0xc500), -5.0f);
  EXPECT_EQ(HalfToFloat(0x0001), 0x1.0p-24f);
  EXPECT_EQ(HalfToFloat(0x83ff), -0x1.ff8p-15f);
  EXPECT_EQ(HalfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(HalfToFloat(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_NE(HalfToFloat(0x7e00), HalfToFloat(0x7e00));
}

TEST(Safetensors, ReadsEveryHalfAsItIs) {
  std::vector<std::uint16_t> halves(1 << 16);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  StoredTensor stored;
  stored.dtype = FileDType::kF16;
  stored.dims = {1 << 16};
  stored.end = halves.size() * sizeof(std::uint16_t);
  std::vector<float> read(halves.size());
  ASSERT_TRUE(ReadFloats(std::as_bytes(std::span(halves)), stored, 0, read).ok());
  for (std::size_t i = 0; i < halves.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(read[i]), std::bit_cast<std::uint32_t>(HalfToFloat(halves[i])))
        << i;
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(ToFloat(ToBFloat16(1.0f + 0x1.0p-8f)), 1.0f);              // a tie goes to the even neighbour
  EXPECT_EQ(ToFloat(ToBFloat16(1.0f + 0x1.8p-7f)), 1.0f + 0x1.0p-6f);  // and up when that one is even
  EXPECT_EQ(ToFloat(ToBFloat16(1.0f + 0x1.1p-8f)), 1.0f + 0x1.0p-7f);
  EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isinf(ToFloat(ToBFloat16(std::numeric_limits<float>::max()))));
}

struct Lie {
  const char* header;
  std::size_t data_bytes;
  const char* says;
};

TEST(Safetensors, RefusesLyingHeaders) {
  const Lie lies[] = {
      {"[]", 0, "must be an object"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", 8, "needs dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", 8, "unknown dtype \"F31\""},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "claims 8 bytes; F32 [3] takes 12"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "lies at data bytes 8 to 0"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,16]}})", 8, "the file holds 8"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", 8, "lies at data bytes"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "impossible shape"},
      {R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
       "impossible shape"},
      {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4,
       "at most 8 dimensions"},
      {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8, "impossible shape"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8,
       "describes 4 bytes of data, the file holds 8"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       4, "neither overlap nor leave a hole"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       8, "found \"a\" twice"},
      {R"({"__metadata__":{"format":1}})", 0, "__metadata__"},
  };
  for (const Lie& lie : lies) {
    const auto header = Parse(RawSafetensors(lie.header, lie.data_bytes));
    ASSERT_FALSE(header.ok()) << lie.header;
    EXPECT_THAT(std::string(header.status().message()),
                testing::AllOf(HasSubstr("m.safetensors"), HasSubstr(lie.says)));
  }
}

TEST(Safetensors, RefusesHugeAndTruncatedHeaders) {
  EXPECT_THAT(std::string(Parse("short").status().message()), HasSubstr("8-byte header length"));
  std::string huge = RawSafetensors("{}", 0);
  huge[7] = '\x7f';
  EXPECT_THAT(std::string(Parse(huge).status().message()), HasSubstr("claims a header of"));
  std::string longer = RawSafetensors("{}", 0);
  longer[0] = 3;
  EXPECT_FALSE(Parse(longer).ok());
  EXPECT_TRUE(Parse(RawSafetensors("{}", 0)).ok());
}

TEST(Safetensors, SurvivesDamagedFiles) {
  const std::string valid = RawSafetensors(
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"F16","shape":[5],"data_offsets":[24,34]},"c":{"dtype":"I64","shape":[1],"data_offsets":[34,42]}})",
      42);
  ASSERT_TRUE(FuzzSafetensors(valid));
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) refused += FuzzSafetensors(Mutated(valid, i)) ? 0 : 1;
  EXPECT_GT(refused, 500);
}

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    const float one[] = {1.0f};
    const float two[] = {2.0f};
    const std::pair<std::string, Tensor> a[] = {{"a", Tensor::FromFloats({1}, one)}};
    const std::pair<std::string, Tensor> b[] = {{"b", Tensor::FromFloats({1}, two)}};
    ASSERT_TRUE(WriteSafetensors(folder_.path() / "m-1.safetensors", a).ok());
    ASSERT_TRUE(WriteSafetensors(folder_.path() / "m-2.safetensors", b).ok());
  }
  absl::StatusOr<Weights> OpenIndex(std::string_view map) {
    return Weights::Open(
        folder_.Write("model.safetensors.index.json", "{\"weight_map\":" + std::string(map) + "}"));
  }
  ScratchFolder folder_;
};

TEST_F(Shards, AreReadAsOne) {
  ASSERT_TRUE(OpenIndex(R"({"a":"m-1.safetensors","b":"m-2.safetensors"})").ok());
  auto weights = Weights::OpenComponent(folder_.path());
  ASSERT_TRUE(weights.ok()) << weights.status();
  ASSERT_TRUE(weights->Expect("b", {1}).ok());
  EXPECT_EQ(Read(*weights, "b", 0, 1, 1), std::vector<float>{2.0f});
  EXPECT_EQ(weights->Untaken(), std::vector<std::string>{"a"});
  EXPECT_THAT(std::string(weights->Expect("a", {2}).message()),
              HasSubstr("has shape [1]; its configuration asks for [2]"));
  EXPECT_TRUE(absl::IsNotFound(weights->Expect("c", {1})));
  std::vector<float> two(2);
  EXPECT_THAT(std::string(weights->ReadRows("a", 0, 1, two).message()),
              HasSubstr("\"a\" has shape [1]; rows 0 to 2 of 1 numbers were asked for"));
  EXPECT_TRUE(absl::IsNotFound(weights->ReadRows("c", 0, 1, two)));
}

TEST_F(Shards, RefuseWhatTheIndexGetsWrong) {
  EXPECT_THAT(std::string(OpenIndex(R"({"a":"../m-1.safetensors"})").status().message()),
              HasSubstr("plain name"));
  EXPECT_THAT(std::string(OpenIndex(R"({"a":7})").status().message()), HasSubstr("plain name"));
  EXPECT_THAT(std::string(OpenIndex(R"({"z":"m-1.safetensors"})").status().message()),
              HasSubstr("\"z\" is not in"));
  EXPECT_THAT(std::string(OpenIndex("{}").status().message()), HasSubstr("names 0 shards"));
  EXPECT_TRUE(absl::IsNotFound(OpenIndex(R"({"a":"m-9.safetensors"})").status()));
  folder_.Write("m-3.safetensors",
                RawSafetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4));
  EXPECT_THAT(std::string(OpenIndex(R"({"a":"m-1.safetensors","b":"m-3.safetensors"})").status().message()),
              HasSubstr("in another shard already"));
}

TEST(MappedFile, MapsOnlyRegularFiles) {
  const ScratchFolder folder;
  EXPECT_TRUE(absl::IsNotFound(MappedFile::Open(folder.path() / "none").status()));
  EXPECT_THAT(std::string(MappedFile::Open(folder.path()).status().message()),
              HasSubstr("not a regular file"));
  EXPECT_TRUE(MappedFile::Open(folder.Write("empty", ""))->bytes().empty());
  EXPECT_THAT(std::string(ReadSmallFile(folder.Write("ten", "0123456789"), 9).status().message()),
              HasSubstr("at most 9"));
}

}  // namespace
}  // namespace ringway::engine
