#include "worker/backends/engine.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/check.h"
#include "engine/animate_order.h"
#include "engine/bundled_model.h"

namespace ringway::worker {
namespace {

Outcome OutcomeOf(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kCancelled) return Outcome::kCancelled;
  return status.code() == absl::StatusCode::kInvalidArgument ? Outcome::kRejected : Outcome::kFailed;
}

WorkEnd EndOf(const absl::Status& status) {
  return {.outcome = OutcomeOf(status), .message = std::string(status.message())};
}

// What the servers of the OpenAI-style videos API call some settings; what says nothing new is dropped.
// `pace`: frames a second of the model, where the order names none.
void TakeApiNames(std::map<std::string, std::string>& settings, int pace) {
  const auto rename = [&settings](const char* from, const char* to) {
    if (auto found = settings.extract(from)) settings.try_emplace(to, std::move(found.mapped()));
  };
  rename("num_frames", "frames");
  rename("num_inference_steps", "steps");
  if (const auto size = settings.extract("size")) {
    int width = 0, height = 0;
    const std::vector<std::string> sides = absl::StrSplit(size.mapped(), 'x');
    const bool read =
        sides.size() == 2 && absl::SimpleAtoi(sides[0], &width) && absl::SimpleAtoi(sides[1], &height);
    settings.try_emplace("side", read ? absl::StrCat(std::max(width, height)) : size.mapped());
  }
  if (const auto seconds = settings.extract("seconds")) {
    double film_s = 0, fps = pace;
    if (const auto given = settings.find("fps"); given != settings.end())
      (void)absl::SimpleAtod(given->second, &fps);
    const bool read = absl::SimpleAtod(seconds.mapped(), &film_s) && film_s > 0 && film_s * fps < 1e6;
    settings.try_emplace(
        "frames",
        read ? absl::StrCat(std::max(1, static_cast<int>(std::lround(film_s * fps)))) : seconds.mapped());
  }
}

// The order's own words first, then the hints that the whole system understands.
std::map<std::string, std::string> SettingsOf(const WorkOrder& order, int pace) {
  std::map<std::string, std::string> settings = order.parameters;
  TakeApiNames(settings, pace);
  if (order.cost.steps != 0) settings.try_emplace("steps", absl::StrCat(order.cost.steps));
  if (order.cost.frames != 0) settings.try_emplace("frames", absl::StrCat(order.cost.frames));
  return settings;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> EngineBackend::Open(runtime::EventLoop& loop,
                                                             const EngineSettings& settings) {
  std::filesystem::path model = settings.model;
  if (model.empty()) {
    const absl::StatusOr<std::filesystem::path> bundled = engine::FindBundledModel();
    if (!bundled.ok()) return bundled.status();
    model = *bundled;
  }
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine =
      engine::Engine::Open(model, {.threads = settings.threads});
  if (!engine.ok()) return engine.status();
  return std::unique_ptr<Backend>(new EngineBackend(loop, *std::move(engine)));
}

EngineBackend::EngineBackend(runtime::EventLoop& loop, std::unique_ptr<engine::Engine> engine)
    : loop_(loop),
      engine_(std::move(engine)),
      thread_([this](const std::stop_token& quit) { Serve(quit); }) {}

EngineBackend::~EngineBackend() {
  stop_.request_stop();
  thread_.request_stop();
  thread_.join();
}

void EngineBackend::Start(WorkOrder order, WorkSink& sink) {
  RINGWAY_CHECK(sink_ == nullptr);
  sink_ = &sink;
  stop_ = std::stop_source();
  {
    const std::lock_guard lock(mutex_);
    next_.emplace(std::move(order), stop_.get_token());
  }
  changed_.notify_one();
}

void EngineBackend::Cancel() {
  if (sink_ != nullptr) stop_.request_stop();
}

void EngineBackend::Serve(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return next_.has_value(); })) {
    const auto [order, stop] = *std::exchange(next_, std::nullopt);
    lock.unlock();
    PostAnswer(Work(order, stop));
    lock.lock();
  }
}

EngineBackend::Answer EngineBackend::Work(const WorkOrder& order, const std::stop_token& stop) {
  const absl::StatusOr<engine::AnimateOrder> read =
      engine::ReadAnimateOrder(order.payload, order.prompt, SettingsOf(order, engine_->frames_per_second()));
  if (!read.ok()) return {{}, EndOf(read.status())};
  std::uint32_t told = 0;
  const absl::StatusOr<engine::Animation> animation = engine_->Animate(
      read->request,
      [&](const engine::AnimateProgress& progress) {
        const auto steps = static_cast<std::uint32_t>(progress.steps) + 1;
        const auto step = progress.fraction >= 1 ? steps : static_cast<std::uint32_t>(progress.step);
        if (std::exchange(told, step) != step) PostProgress(step, steps);
      },
      stop);
  if (!animation.ok()) return {{}, EndOf(animation.status())};
  absl::StatusOr<std::string> file =
      engine::EncodeAnimation(*animation, read->format, {.threads = engine_->threads(), .stop = stop});
  if (!file.ok()) return {{}, EndOf(file.status())};
  return {*std::move(file),
          {.message = absl::StrJoin(animation->notes, "; "),
           .content_type = std::string(engine::ContentTypeOf(read->format))}};
}

void EngineBackend::PostProgress(std::uint32_t step, std::uint32_t steps) {
  // Progress that finds a full inbox is not worth waiting for.
  const bool posted = loop_.Post([self = std::weak_ptr(self_), step, steps] {
    const auto backend = self.lock();
    if (backend && (*backend)->sink_ != nullptr) (*backend)->sink_->OnProgress(step, steps);
  });
  static_cast<void>(posted);
}

void EngineBackend::PostAnswer(Answer answer) {
  const auto shared = std::make_shared<Answer>(std::move(answer));
  const auto deliver = [self = std::weak_ptr(self_), shared] {
    const auto backend = self.lock();
    if (!backend || (*backend)->sink_ == nullptr) return;
    WorkSink& sink = *std::exchange((*backend)->sink_, nullptr);
    for (std::size_t at = 0; at < shared->bytes.size(); at += kPieceBytes)
      sink.OnResult(shared->bytes.substr(at, kPieceBytes));
    sink.OnEnd(std::move(shared->end));
  };
  // The end must arrive; the inbox is emptied in microseconds. A stopped loop needs no answer.
  while (!loop_.Post(deliver) && !thread_.get_stop_token().stop_requested()) std::this_thread::yield();
}

}  // namespace ringway::worker
