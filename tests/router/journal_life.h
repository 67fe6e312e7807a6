// Lives of a router's machine that a recorder watches, and what their journals begin with.
//
// A life draws random events and answers what the machine asks for, so that jobs arrive, are offered,
// forwarded, granted and ended, tables and leaders change. The same seed gives the same life.
#ifndef RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_
#define RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/rng.h"
#include "journal/bytes.h"
#include "journal/shape.h"
#include "router/journal/fields.h"
#include "router/journal/recorder.h"
#include "tests/journal/folder.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {

namespace fs = std::filesystem;
using journal::BytesIn;
using journal::Folder;
using journal::Quiet;
using journal::SegmentsOf;

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
        recorder_(folder, bytes_max, Settings(seed), machine_, Quiet()) {
    recorder_.Begin(now_);
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
    recorder_.Note(now_, event, actions_);
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
  std::string title = kJournalTitle.text;
  std::uint32_t version = kJournalTitle.version;
  std::string shapes = journal::Shapes::Own();
  RouterSettings settings = {};
  Fleet fleet = {};
  std::uint64_t events = 0;
  std::string state = {};

  void Take(journal::Reader& reader) {
    reader.Take(title);
    reader.Take(version);
    reader.Take(shapes);
    reader.Take(settings);
    reader.Take(fleet);
    reader.Take(events);
    reader.Take(state);
  }
  // By the release that tells these shapes; null: this one.
  std::string Bytes(const journal::Shapes* of = nullptr) const {
    std::string bytes;
    journal::Writer writer(bytes, nullptr, of);
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

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_JOURNAL_LIFE_H_
