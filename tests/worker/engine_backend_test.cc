// The engine backend on its loop, with a small random model: results, rejections, cancelling, one order after
// the other.
#include "worker/backends/engine.h"

#include <cstdlib>
#include <filesystem>
#include <future>

#include "engine/bundled_pictures.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/encode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model_files.h"
#include "tests/engine/picture_files.h"

namespace ringway::worker {
namespace {

using ::testing::HasSubstr;

struct Heard : WorkSink {
  void OnProgress(std::uint32_t step, std::uint32_t steps) override {
    progress.emplace_back(step, steps);
    if (on_progress) on_progress();
  }
  void OnResult(std::string bytes) override { result += bytes; }
  void OnEnd(WorkEnd how) override {
    end = std::move(how);
    ended.set_value();
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> progress;
  std::string result;
  WorkEnd end;
  std::promise<void> ended;
  std::function<void()> on_progress;
};

WorkOrder Order() {
  engine::Animation still;
  still.frames.push_back(engine::DrawPicture(64, 48));
  WorkOrder order;
  order.payload = engine::EncodeApng(still).value();
  order.prompt = "zoom in";
  order.parameters = {{"side", "32"}, {"frames", "4"}};
  order.cost.steps = 5;
  return order;
}

class EngineBackendTest : public ::testing::Test {
 protected:
  EngineBackendTest() : loop_("test") {
    engine::WriteMotionModel(folder_);
    auto backend = EngineBackend::Open(loop_, {.model = folder_.path().string(), .threads = 1});
    EXPECT_TRUE(backend.ok()) << backend.status();
    backend_ = std::move(backend).value();
    loop_.Start();
  }
  ~EngineBackendTest() override { loop_.Stop(); }

  void Run(const WorkOrder& order, Heard& heard) {
    EXPECT_TRUE(loop_.Post([&] { backend_->Start(order, heard); }));
    heard.ended.get_future().wait();
  }

  engine::ScratchFolder folder_;
  runtime::EventLoop loop_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(EngineBackendTest, AnimatesThePayload) {
  Heard first, second;
  Run(Order(), first);
  EXPECT_EQ(first.end.outcome, Outcome::kDone) << first.end.message;
  if (engine::AnimationFormatOf("mp4")) {
    EXPECT_EQ(first.end.content_type, "video/mp4");
    EXPECT_THAT(first.result.substr(0, 12), HasSubstr("ftyp"));
  } else {
    EXPECT_EQ(first.end.content_type, "image/gif");
    EXPECT_THAT(first.result, ::testing::StartsWith("GIF89a"));
  }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> steps = {{1, 6}, {2, 6}, {3, 6},
                                                                      {4, 6}, {5, 6}, {6, 6}};
  EXPECT_EQ(first.progress, steps);
  Run(Order(), second);
  EXPECT_EQ(first.result, second.result);
}

// By these a router refuses what this backend would.
TEST_F(EngineBackendTest, SaysWhichPicturesItAnimates) {
  const PictureTerms terms = backend_->pictures();
  EXPECT_EQ(terms.need, PictureNeed::kRequired);
  EXPECT_EQ(terms.pixels_max, static_cast<std::uint64_t>(engine::kPicturePixelsMax));
  EXPECT_THAT(terms.types, testing::ElementsAre("image/png", "image/jpeg", "image/webp"));
}

TEST_F(EngineBackendTest, WidthAndHeightAreASize) {
  WorkOrder order = Order();
  order.parameters = {{"width", "32"}, {"height", "24"}, {"frames", "2"}};
  Heard heard;
  Run(order, heard);
  EXPECT_EQ(heard.end.outcome, Outcome::kDone) << heard.end.message;
}

TEST_F(EngineBackendTest, MakesTheFormatThatIsAskedFor) {
  const std::tuple<const char*, const char*, const char*> formats[] = {
      {"gif", "image/gif", "GIF89a"}, {"webp", "image/webp", "RIFF"}, {"apng", "image/apng", "\x89PNG"}};
  for (const auto& [format, type, begins] : formats) {
    WorkOrder order = Order();
    order.parameters["format"] = format;
    Heard heard;
    Run(order, heard);
    EXPECT_EQ(heard.end.content_type, type);
    EXPECT_THAT(heard.result, ::testing::StartsWith(begins));
  }
}

TEST_F(EngineBackendTest, SaysWhichWordsItDidNotKnow) {
  WorkOrder order = Order();
  order.prompt = "zoom in asdf";
  Heard heard;
  Run(order, heard);
  EXPECT_EQ(heard.end.outcome, Outcome::kDone);
  EXPECT_THAT(heard.end.message, HasSubstr("\"asdf\""));
}

TEST_F(EngineBackendTest, RejectsWhatItCannotRead) {
  const std::pair<std::pair<const char*, const char*>, const char*> wrong[] = {
      {{"steps", "0"}, "steps is \"0\"; allowed: a whole number from 1 to 1000"},
      {{"format", "bmp"}, "format is \"bmp\"; allowed: gif, apng, webp"},
      {{"region", "1,1"}, "allowed: left,top,right,bottom"},
      {{"colour", "red"}, "unknown setting \"colour\"; allowed: seed, steps"}};
  for (const auto& [parameter, says] : wrong) {
    WorkOrder order = Order();
    order.parameters[parameter.first] = parameter.second;
    Heard heard;
    Run(order, heard);
    EXPECT_EQ(heard.end.outcome, Outcome::kRejected);
    EXPECT_THAT(heard.end.message, HasSubstr(says));
    EXPECT_EQ(heard.result, "");
  }
  WorkOrder order = Order();
  order.payload = "GIF89a";
  Heard heard;
  Run(order, heard);
  EXPECT_EQ(heard.end.outcome, Outcome::kRejected);
  EXPECT_THAT(heard.end.message, HasSubstr("PNG, JPEG and WebP are"));
}

TEST_F(EngineBackendTest, StopsAtTheNextStepAndServesOn) {
  WorkOrder order = Order();
  order.cost.steps = 1000;
  Heard heard;
  heard.on_progress = [this] { backend_->Cancel(); };
  Run(order, heard);
  EXPECT_EQ(heard.end.outcome, Outcome::kCancelled);
  EXPECT_LT(heard.progress.size(), 900u);
  Heard next;
  Run(Order(), next);
  EXPECT_EQ(next.end.outcome, Outcome::kDone);
}

TEST_F(EngineBackendTest, MayGoAwayInTheMiddleOfAnOrder) {
  WorkOrder order = Order();
  order.cost.steps = 1000;
  Heard heard;
  std::promise<void> began;
  std::once_flag once;
  heard.on_progress = [&] { std::call_once(once, [&] { began.set_value(); }); };
  ASSERT_TRUE(loop_.Post([&] { backend_->Start(order, heard); }));
  began.get_future().wait();
  loop_.Stop();
  backend_.reset();
}

// A worker that is given no model, with random weights where the bundled ones are looked for.
class BundledBackendTest : public ::testing::Test {
 protected:
  BundledBackendTest() : loop_("test") {
    engine::WriteMotionModel(films_);
    engine::ScratchFolder model;
    engine::WritePictureModel(model, "picture_small");
    std::filesystem::copy(model.path(), scenes_.path() / "student", std::filesystem::copy_options::recursive);
    setenv("RINGWAY_MODEL", films_.path().c_str(), 1);
    setenv("RINGWAY_SCENES", scenes_.path().c_str(), 1);
    loop_.Start();
  }
  ~BundledBackendTest() override {
    loop_.Stop();
    unsetenv("RINGWAY_MODEL");
    unsetenv("RINGWAY_SCENES");
  }
  void Open(const EngineSettings& settings) {
    auto backend = EngineBackend::Open(loop_, settings);
    ASSERT_TRUE(backend.ok()) << backend.status();
    backend_ = std::move(backend).value();
  }
  WorkEnd Run(const WorkOrder& order) {
    Heard heard;
    EXPECT_TRUE(loop_.Post([&] { backend_->Start(order, heard); }));
    heard.ended.get_future().wait();
    result_ = std::move(heard.result);
    return heard.end;
  }
  // As the images API orders a picture.
  static WorkOrder Still() {
    WorkOrder order;
    order.prompt = "the boat";
    order.parameters = {{"steps", "2"}};
    order.cost.frames = 1;
    return order;
  }
  engine::ScratchFolder films_, scenes_;
  runtime::EventLoop loop_;
  std::unique_ptr<Backend> backend_;
  std::string result_;
};

TEST_F(BundledBackendTest, DrawsStillsAndAnimatesPhotos) {
  Open({.threads = 1});
  EXPECT_EQ(backend_->pictures().need, PictureNeed::kOptional);
  const WorkEnd drawn = Run(Still());
  EXPECT_EQ(drawn.outcome, Outcome::kDone) << drawn.message;
  EXPECT_EQ(drawn.content_type, "image/png");
  EXPECT_THAT(result_, ::testing::StartsWith("\x89PNG"));
  WorkOrder film = Order();
  film.payload = result_;  // what was drawn, moved
  film.parameters["format"] = "gif";
  const WorkEnd animated = Run(film);
  EXPECT_EQ(animated.outcome, Outcome::kDone) << animated.message;
  EXPECT_THAT(result_, ::testing::StartsWith("GIF89a"));
  WorkOrder edit = Still();
  edit.payload = film.payload;
  EXPECT_EQ(Run(edit).content_type, "image/png") << "an edit is a still too";
}

TEST_F(BundledBackendTest, SaysThatAFilmNeedsAPicture) {
  Open({.threads = 1});
  for (const std::uint32_t frames : {0u, 1u, 16u}) {
    WorkOrder order = Still();
    order.cost.frames = frames;
    if (frames == 1) order.parameters["frames"] = "1";
    const WorkEnd end = Run(order);
    EXPECT_EQ(end.outcome, Outcome::kRejected);
    EXPECT_THAT(end.message, HasSubstr("input_reference: this model animates a picture"));
  }
}

TEST_F(BundledBackendTest, DrawsAloneWhereItIsNamed) {
  Open({.model = engine::kScenes, .threads = 1});
  WorkOrder order = Still();
  order.cost.frames = 0;
  EXPECT_EQ(Run(order).content_type, "image/png");
}

TEST_F(BundledBackendTest, AnimatesAloneWhereTheWeightsForPicturesAreAbsent) {
  std::filesystem::remove_all(scenes_.path() / "student");
  Open({.threads = 1});
  EXPECT_EQ(backend_->pictures().need, PictureNeed::kRequired);
  const auto named = EngineBackend::Open(loop_, {.model = engine::kScenes});
  EXPECT_THAT(std::string(named.status().message()), HasSubstr("the bundled picture model is not installed"));
  const auto adapted = EngineBackend::Open(loop_, {.adapters = {{"a", "a.safetensors"}}});
  EXPECT_THAT(std::string(adapted.status().message()), HasSubstr("name one with --engine-model"));
}

TEST(EngineBackend, SaysThatThereIsNoModel) {
  runtime::EventLoop loop("test");
  const auto backend = EngineBackend::Open(loop, {.model = "/nonexistent/model"});
  EXPECT_THAT(std::string(backend.status().message()), HasSubstr("/nonexistent/model"));
}

}  // namespace
}  // namespace ringway::worker
