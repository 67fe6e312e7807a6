// Models that share a budget: who stays, who goes, what each switch is counted as, and a swap beside a job
// that runs.
#include "engine/model_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Switch = ModelStore::Switch;

class Store : public testing::Test {
 protected:
  Store() {
    WritePictureModel(first_, "picture_sd1");
    WritePictureModel(second_, "picture_sd2");
    WritePictureModel(third_, "picture_lcm");
  }
  std::unique_ptr<ModelStore> Make(std::size_t bytes_max, const std::string& packed = "") const {
    EngineOptions options{.threads = 1};
    options.packed_weights = packed;
    return ModelStore::Make({{"first", {first_.path().string(), ""}},
                             {"second", {second_.path().string(), ""}},
                             {"third", {third_.path().string(), ""}}},
                            bytes_max, options)
        .value();
  }
  static Picture Drawn(PictureEngine& engine) {
    return engine.Draw({.prompt = "the boat", .width = 16, .height = 16, .steps = 2}, {}, {}).value().picture;
  }
  // Bytes of one of them; they differ by little.
  std::size_t Bytes() const {
    const auto store = Make(0);
    EXPECT_TRUE(store->Get("first").ok());
    return store->resident_bytes();
  }
  ScratchFolder first_, second_, third_;
};

TEST_F(Store, KeepsToItsBudgetAndDropsTheLongestUnused) {
  const auto store = Make(Bytes() * 5 / 2);
  const Picture before = Drawn(**store->Get("first"));
  EXPECT_TRUE(store->Get("second").ok());
  EXPECT_TRUE(store->Get("first").ok());
  EXPECT_TRUE(store->Get("third").ok());
  EXPECT_TRUE(store->IsResident("first"));
  EXPECT_FALSE(store->IsResident("second")) << "the longest unused";
  EXPECT_LE(store->resident_bytes(), Bytes() * 5 / 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(store->Get("second").ok());
    EXPECT_EQ(Drawn(**store->Get("first")), before) << "swapping changes no picture";
    EXPECT_TRUE(store->Get("third").ok());
  }
  EXPECT_GE(store->CostOf(Switch::kOpened).count, 6u);
  EXPECT_GE(store->CostOf(Switch::kResident).count, 1u);
  EXPECT_EQ(store->CostOf(Switch::kPacked).count, 0u);
}

TEST_F(Store, WhatIsInUseStays) {
  const auto store = Make(Bytes() * 3 / 2);
  const auto held = store->Get("first").value();
  EXPECT_TRUE(store->Get("second").ok());
  EXPECT_TRUE(store->IsResident("first"));
  EXPECT_FALSE(Drawn(*held).rgb.empty());
}

// The job waits in the middle of its steps until the other model is there: if a swap waited for the job, this
// would not end.
TEST_F(Store, TheNextModelIsOpenedBesideAJobThatRuns) {
  const auto store = Make(0);
  const auto engine = store->Get("first").value();
  const Picture plain = Drawn(*engine);
  bool arrived = false;
  store->Prefetch("second");
  const auto drawn = engine->Draw({.prompt = "the boat", .width = 16, .height = 16, .steps = 2},
                                  [&](const AnimateProgress& progress) {
                                    for (int i = 0; progress.step == 1 && !arrived && i < 3000; ++i) {
                                      arrived = store->IsResident("second");
                                      std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                    }
                                  },
                                  {});
  EXPECT_TRUE(arrived);
  EXPECT_EQ(drawn->picture, plain);
  EXPECT_FALSE(Drawn(**store->Get("second")).rgb.empty());
  EXPECT_EQ(store->CostOf(Switch::kOpened).count, 2u);
}

TEST_F(Store, PackedWeightsOnDiskAreAKindOfTheirOwn) {
  const ScratchFolder packed;
  {
    const auto store = Make(0, packed.path().string());
    EXPECT_TRUE(store->Get("first").ok());
    EXPECT_EQ(store->CostOf(Switch::kOpened).count, 1u);
  }  // what is written has been written
  const auto store = Make(0, packed.path().string());
  EXPECT_TRUE(store->Get("first").ok());
  EXPECT_EQ(store->CostOf(Switch::kPacked).count, 1u);
  EXPECT_EQ(store->CostOf(Switch::kOpened).count, 0u);
}

TEST_F(Store, SaysWhatIsWrongAndGoesOn) {
  std::filesystem::resize_file(second_.path() / "unet/diffusion_pytorch_model.safetensors", 1000);
  const auto store = Make(0);
  EXPECT_THAT(std::string(store->Get("fourth").status().message()),
              HasSubstr("there are: first, second, third"));
  EXPECT_THAT(std::string(store->Get("second").status().message()),
              HasSubstr("unet/diffusion_pytorch_model"));
  EXPECT_TRUE(store->Get("first").ok());
  const auto small = Make(1000);
  const absl::Status over = small->Get("first").status();
  EXPECT_EQ(over.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(over.message()),
              AllOf(HasSubstr("\"first\" takes"), HasSubstr("1000 are allowed")));
  EXPECT_EQ(small->resident_bytes(), 0u);
}

TEST_F(Store, ManyAskAtOnce) {
  const auto store = Make(Bytes() * 3 / 2);
  std::vector<std::future<bool>> asking;
  for (int i = 0; i < 12; ++i)
    asking.push_back(std::async(std::launch::async, [&store, i] {
      return store->Get(i % 3 == 0 ? "first" : i % 3 == 1 ? "second" : "third").ok();
    }));
  for (auto& answer : asking) EXPECT_TRUE(answer.get());
}

}  // namespace
}  // namespace ringway::engine
