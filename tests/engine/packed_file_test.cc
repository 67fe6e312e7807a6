// Packed weights on the disk: what is found there is used as it is, and whatever happens to the files or to
// the process that writes them, the answer is that of the model's own files.
#include "engine/plan/packed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/rng.h"
#include "engine/cpu/cpu_backend.h"
#include "engine/plan/packed_cache.h"
#include "engine/plan/plan.h"
#include "tests/engine/checkpoint_files.h"
#include "tests/engine/small_unet.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

bool Full() { return std::getenv("RINGWAY_FULL") != nullptr; }

// The small video UNet in a file, and a directory for its packed weights.
class PackedWeights : public testing::Test {
 protected:
  PackedWeights() {
    WriteModel(1.0f);
    options_.precision = DType::kBF16;
    expected_ = Opened(nullptr).result;
  }

  void WriteModel(float scale) const {
    HashWeights asked;
    SmallVideoUNet(asked, {{1, 2}, 8, 8});
    const auto names = asked.names();
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const auto& [name, dims] : names) {
      Shape shape;
      for (const std::int64_t d : dims) shape.Append(d);
      std::vector<float> values = asked.Take(name, dims).value();
      for (float& v : values) v *= scale;
      tensors.emplace_back(name, Tensor::FromFloats(shape, values));
    }
    RINGWAY_CHECK(WriteSafetensors(model_, tensors).ok());
  }
  std::shared_ptr<PackedCache> Cache(std::size_t bytes_max = 1 << 30) {
    return std::make_shared<PackedCache>(
        PackedCacheOptions{kept_, bytes_max, [this](const std::string& line) { log_.push_back(line); }});
  }
  struct Opening {
    std::vector<float> result;
    std::size_t derived = 0;
  };
  // As a process that starts: nothing of an earlier opening is in its memory. Without other threads, which a
  // fork would not have.
  Opening Opened(const std::shared_ptr<PackedCache>& cache, std::int64_t height = 8) const {
    const CpuBackend backend({.threads = 1});
    const auto source = std::make_shared<StoredWeights>(Weights::Open(model_).value());
    const auto set = std::make_shared<WeightSet>(source, cache);
    const auto plan =
        Plan::Freeze(SmallVideoUNet(*source, {{1, 2}, height, 8}), options_, backend, set).value();
    if (cache != nullptr) cache->Wait();
    return {RunVideoUNet(*plan), set->derived_weights()};
  }
  // It is right, whatever was there.
  Opening OpenedAnew() {
    Opening opening = Opened(Cache());
    EXPECT_EQ(opening.result, expected_);
    return opening;
  }
  std::vector<std::filesystem::path> Files(const char* ending = ".packed") const {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::exists(kept_))
      for (const auto& entry : std::filesystem::directory_iterator(kept_))
        if (entry.path().extension() == ending) files.push_back(entry.path());
    return files;
  }
  static std::string Bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void Write(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  ScratchFolder folder_;
  std::filesystem::path model_ = folder_.path() / "model.safetensors", kept_ = folder_.path() / "kept";
  PassOptions options_;
  std::vector<std::string> log_;
  std::vector<float> expected_;
};

TEST_F(PackedWeights, AreMappedTheSecondTimeAtAnySize) {
  EXPECT_GT(OpenedAnew().derived, 0u);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_EQ(OpenedAnew().derived, 0u);
  const std::vector<float> wide = Opened(nullptr, 16).result;
  const Opening other_size = Opened(Cache(), 16);
  EXPECT_EQ(other_size.derived, 0u);
  EXPECT_EQ(other_size.result, wide);
  EXPECT_EQ(Files().size(), 1u);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(PackedWeights, OfAnotherPrecisionInstructionSetOrModelAreOthers) {
  OpenedAnew();
  options_.precision = DType::kF32;
  expected_ = Opened(nullptr).result;
  EXPECT_GT(OpenedAnew().derived, 0u);
  EXPECT_EQ(OpenedAnew().derived, 0u);
  EXPECT_EQ(Files().size(), 2u);
  WriteModel(0.5f);  // of the same size and names, with other numbers
  expected_ = Opened(nullptr).result;
  EXPECT_GT(OpenedAnew().derived, 0u);
  EXPECT_EQ(OpenedAnew().derived, 0u);
  EXPECT_EQ(Files().size(), 3u);
  const auto wanted = [&](Isa isa) { return CpuBackend({.threads = 1, .isa = isa}).PackingFingerprint(); };
  EXPECT_NE(wanted(Isa::kScalar), wanted(BestIsa()));
  EXPECT_THAT(log_, IsEmpty());
}

// One form of weights in int8 for both ways of multiplying by them: the second finds the file of the first.
TEST_F(PackedWeights, InInt8AreMappedBitForBit) {
  OpenedAnew();
  const std::size_t bf16 = std::filesystem::file_size(Files().at(0));
  std::filesystem::remove(Files().at(0));
  options_.quantisation = Quantisation::kDynamic;
  const std::vector<float> plain = std::exchange(expected_, Opened(nullptr).result);
  EXPECT_NE(expected_, plain);
  EXPECT_GT(OpenedAnew().derived, 0u);
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_EQ(OpenedAnew().derived, 0u);
  EXPECT_LT(std::filesystem::file_size(Files().at(0)), bf16);
  const std::vector<float> dynamic = expected_;
  options_.quantisation = Quantisation::kWeights;
  expected_ = Opened(nullptr).result;
  EXPECT_NE(expected_, dynamic);
  EXPECT_EQ(OpenedAnew().derived, 0u);
  EXPECT_EQ(Files().size(), 1u);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(PackedWeights, DamagedInAnyByteAreRefusedAndWrittenAnew) {
  OpenedAnew();
  const std::filesystem::path file = Files().at(0);
  const std::string whole = Bytes(file);
  Rng rng(11);
  int refused = 0;
  const int rounds = Full() ? 1000 : 60;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    const std::size_t at = rng.Below(round % 4 == 0 ? 64 : round % 4 == 1 ? std::size_t{4096} : whole.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << rng.Below(8)));
    Write(file, damaged);
    log_.clear();
    const bool derived = OpenedAnew().derived > 0;
    EXPECT_EQ(derived, !log_.empty()) << at;
    if (derived) {
      EXPECT_THAT(log_.at(0), HasSubstr(file.string()));
      EXPECT_EQ(Bytes(file), whole) << "written anew";
    }
    refused += derived ? 1 : 0;
  }
  EXPECT_GT(refused, rounds * 9 / 10);  // what is left fell into the padding behind the tables
}

TEST_F(PackedWeights, CutOrForeignAreRefused) {
  OpenedAnew();
  const std::filesystem::path file = Files().at(0);
  const std::string whole = Bytes(file);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{63}, std::size_t{64},
                                 std::size_t{5000}, whole.size() / 2, whole.size() - 1}) {
    Write(file, whole.substr(0, size));
    log_.clear();
    EXPECT_GT(OpenedAnew().derived, 0u) << size;
    EXPECT_EQ(log_.size(), 1u) << size;
  }
  Write(file, whole + "x");
  EXPECT_GT(OpenedAnew().derived, 0u);
  // Of another model under this one's name, whole in itself.
  WriteModel(0.5f);
  Opened(Cache());
  const auto files = Files();
  ASSERT_EQ(files.size(), 2u);
  for (const auto& each : files) Write(each, whole);
  expected_ = Opened(nullptr).result;
  log_.clear();
  EXPECT_GT(OpenedAnew().derived, 0u);
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_THAT(log_[0], HasSubstr("of another model"));
}

TEST_F(PackedWeights, TakeNoMoreThanTheirBytesAndTheOldestGoFirst) {
  Opened(Cache());
  const std::size_t one = std::filesystem::file_size(Files().at(0));
  options_.precision = DType::kF32;
  Opened(Cache());
  const std::size_t both = one + [&] {
    std::size_t most = 0;
    for (const auto& file : Files()) most = std::max(most, std::size_t{std::filesystem::file_size(file)});
    return most;
  }();
  ASSERT_EQ(Files().size(), 2u);
  options_.precision = DType::kBF16;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Opened(Cache());  // now the f32 ones were used the longest ago
  WriteModel(0.5f);
  Opened(Cache(both));
  ASSERT_EQ(Files().size(), 2u);
  for (const auto& file : Files()) EXPECT_EQ(std::filesystem::file_size(file), one);
  EXPECT_THAT(log_, IsEmpty());
  WriteModel(0.25f);
  Opened(Cache(one - 1));
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_THAT(log_[0], HasSubstr("may be kept there"));
}

TEST_F(PackedWeights, AreNotKeptWhereNothingCanBeWritten) {
  folder_.Write("kept", "a file where the directory should be");
  EXPECT_GT(OpenedAnew().derived, 0u);
  ASSERT_FALSE(log_.empty());
  EXPECT_THAT(log_.back(), HasSubstr("are not kept in " + kept_.string()));
}

// A process of its own opens the model, packs, and writes; it is killed at any point of that, or of a moment
// after it. RINGWAY_FULL=1: a thousand times.
TEST_F(PackedWeights, OfAProcessThatIsKilledAtAnyPointAreWholeOrNotThere) {
  const int kills = Full() ? 1000 : 60;
  const auto begin = std::chrono::steady_clock::now();
  OpenedAnew();
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  Rng rng(7);
  int found = 0, unfinished = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    std::filesystem::remove_all(kept_);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Opened(Cache());
      ::pause();
    }
    std::this_thread::sleep_for(whole * (2 * rng.Uniform()));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    unfinished += Files(".unfinished").empty() ? 0 : 1;
    found += OpenedAnew().derived == 0 ? 1 : 0;
    EXPECT_THAT(Files(".unfinished"), IsEmpty());
    EXPECT_EQ(OpenedAnew().derived, 0u) << "written by the one that came after";
  }
  EXPECT_THAT(log_, IsEmpty());
  std::printf("  %d kills: %d left a whole file, %d an unfinished one, %d none\n", kills, found, unfinished,
              kills - found - unfinished);
}

}  // namespace
}  // namespace ringway::engine
