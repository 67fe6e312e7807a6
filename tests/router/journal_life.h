// Lives of a router's machine that a recorder watches, and what their journals begin with.
//
// A life draws random events and answers what the machine asks for, so that jobs arrive, are offered,
// forwarded, granted and ended, tables and leaders change. The same seed gives the same life. Folders are
// removed when they go out of scope.
#ifndef RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_
#define RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/rng.h"
#include "router/journal/bytes.h"
#include "router/journal/recorder.h"
#include "router/journal/shape.h"
#include "runtime/segment.h"
#include "tests/router/router_fixture.h"

namespace ringway::router::journal {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "ringway-journal-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

inline const runtime::Logger& Quiet() {
  static const runtime::Logger log("test", runtime::LogLevel::kError);
  return log;
}

inline RouterSettings Settings(std::uint64_t seed) {
  return {.home = kHome, .jobs_max = 64, .seed = seed, .started = FromUnixSeconds(seed)};
}

// A random life of a machine that the recorder watches.
class Lived {
 public:
  Lived(const std::string& folder, std::uint64_t seed, std::uint64_t bytes_max = 64 << 20)
      : rng_(seed),
        fleet_(std::make_shared<const Fleet>(RandomFleet())),
        machine_(Settings(seed), fleet_),
        recorder_(folder, bytes_max, Settings(seed), Quiet()) {
    recorder_.Begin(now_, machine_);
    for (std::size_t w = 0; w < 4; ++w) Step(WorkerListed{WorkerId(w), kTier, w < 2});
    for (std::size_t r = 0; r < 2; ++r) Step(RouterListed{RouterId(r), r == 0 ? kNear : kFar, "r"});
    Step(ControllerWelcomed{.epoch = 1});
    for (std::size_t job = 0; job < 64; ++job) free_.push_back(JobId(job));
  }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += Nanoseconds(1) * static_cast<std::int64_t>(rng_.Below(30'000'000)) / 4;
      Step(RandomEvent());
    }
  }
  bool recording() const { return recorder_.recording(); }
  std::uint64_t events() const { return events_; }

 private:
  Fleet RandomFleet() {
    Fleet fleet = SmallFleet();
    fleet.tiers[kTier].dispatch.mode = rng_.Chance(0.5) ? DispatchMode::kLedger : DispatchMode::kProbe;
    fleet.tiers[kTier].route.rings = {{"near", 30, 0.5}, {"far", 200, 0.9}};
    fleet.tiers[kTier].dispatch.backoff.full_jitter = true;
    fleet.tiers[kTier].dispatch.spill.share = 0.3;
    return fleet;
  }

  void Step(const RouterEvent& event) {
    actions_.clear();
    machine_.Step(now_, event, actions_);
    ++events_;
    recorder_.Note(now_, event, actions_, machine_);
    for (const RouterAction& action : actions_) {
      if (const auto* offer = std::get_if<OfferToWorker>(&action)) {
        open_.push_back({.job = offer->job, .attempt = offer->attempt, .worker = offer->worker});
      } else if (const auto* forward = std::get_if<ForwardToRouter>(&action)) {
        open_.push_back({.job = forward->job, .attempt = forward->attempt, .router = forward->router});
      } else if (const auto* end = std::get_if<EndJob>(&action)) {
        free_.push_back(end->job);
      } else if (const auto* tell = std::get_if<TellLedger>(&action)) {
        if (const auto* ask = std::get_if<ledger::Acquire>(&tell->event)) asks_.push_back(ask->key);
      }
    }
  }

  RouterEvent RandomEvent() {
    switch (rng_.Below(10)) {
      case 0:
      case 1:
      case 2:
        return Arrival();
      case 3:
        if (!open_.empty()) return AttemptAccepted{open_.front().job, open_.front().attempt};
        return TimePassed{};
      case 4:
      case 5:
        return End();
      case 6:
        return Table();
      case 7:
        return LeaderAppointed{kTier, {.router = RouterId(rng_.Below(2)), .fence = {1, ++appointment_}}};
      case 8:
        return Answer();
      default:
        return WorkerHeard{WorkerId(rng_.Below(4)), {.state = dispatch::WorkerState::kIdle}};
    }
  }
  RouterEvent Arrival() {
    if (free_.empty()) return TimePassed{};
    const JobId job = free_.front();
    free_.pop_front();
    JobFacts facts{.tier = kTier, .priority = static_cast<Priority>(rng_.Below(2))};
    facts.keyed = rng_.Chance(0.3);
    facts.cost = {.steps = 15, .pixels = 512 * 512, .frames = 1};
    facts.arrived = now_ - Milliseconds(1);
    facts.deadline = rng_.Chance(0.1) ? InfiniteFuture() : now_ + Seconds(10 * rng_.Uniform());
    return JobArrived{job, facts};
  }
  RouterEvent End() {
    if (open_.empty()) return TimePassed{};
    AttemptEnded ended = open_.front();
    open_.pop_front();
    ended.outcome = static_cast<Outcome>(rng_.Below(5));
    ended.answered = rng_.Chance(0.8);
    ended.may_have_started = rng_.Chance(0.5);
    ended.retry_after = Milliseconds(rng_.Uniform() * 100);
    ended.message = "the worker said: \"no\"";
    return ended;
  }
  RouterEvent Table() {
    auto table = std::make_shared<RoutingTable>();
    table->version = {1, ++version_};
    for (std::size_t t = 0; t < 2; ++t) table->tiers.push_back(HomeTable(TierId(t), 3, 2));
    const double away = rng_.Uniform();
    table->tiers[kTier].at(0, kHome).routes = {
        {.target = kHome, .fraction = 1 - away},
        {.target = kNear, .fraction = away, .ring = 0, .reason = RouteReason::kOverload}};
    return TableOffered{.table = table};
  }
  RouterEvent Answer() {
    if (asks_.empty()) return LeaderHeard{kTier};
    const ledger::RequestKey key = asks_.front();
    asks_.pop_front();
    if (rng_.Chance(0.2)) return LeaderAnswered{kTier, ledger::Refuse{key, ledger::RefuseReason::kLineFull}};
    const Lease lease{{1, appointment_}, ++serial_};
    return LeaderAnswered{kTier, ledger::Grant{key, WorkerId(rng_.Below(4)), lease, Milliseconds(2)}};
  }

  Rng rng_;
  std::shared_ptr<const Fleet> fleet_;
  RouterMachine machine_;
  Recorder recorder_;
  Time now_ = FromUnixSeconds(1'000'000);
  std::vector<RouterAction> actions_;
  std::deque<JobId> free_;
  std::deque<AttemptEnded> open_;
  std::deque<ledger::RequestKey> asks_;
  std::uint64_t version_ = 0, appointment_ = 0, serial_ = 0, events_ = 0;
};

// What every segment begins with.
struct Beginning {
  std::string title = kTitle;
  std::uint32_t version = kVersion;
  std::string shapes = Shapes::Own();
  RouterSettings settings = {};
  Fleet fleet = {};
  std::uint64_t events = 0;
  std::string state = {};

  void Take(Reader& reader) {
    reader.Take(title);
    reader.Take(version);
    reader.Take(shapes);
    reader.Take(settings);
    reader.Take(fleet);
    reader.Take(events);
    reader.Take(state);
  }
  // By the release that tells these shapes; null: this one.
  std::string Bytes(const Shapes* of = nullptr) const {
    std::string bytes;
    Writer writer(bytes, nullptr, of);
    writer.Put(title);
    writer.Put(version);
    writer.Put(shapes);
    writer.Put(settings);
    writer.Put(fleet);
    writer.Put(events);
    writer.Put(state);
    return bytes;
  }
};

inline std::vector<runtime::SegmentFile> SegmentsOf(const Folder& folder) {
  return runtime::ListSegments(folder.path()).value();
}

inline std::uint64_t BytesIn(const Folder& folder) {
  std::uint64_t bytes = 0;
  for (const runtime::SegmentFile& segment : SegmentsOf(folder)) bytes += segment.bytes;
  return bytes;
}

}  // namespace ringway::router::journal

#endif  // RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_
