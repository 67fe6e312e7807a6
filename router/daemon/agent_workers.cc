// The router's agent, towards workers and other routers: who there is, who is watched, what they report.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/address.h"
#include "core/header_text.h"
#include "router/daemon/operations/metrics_text.h"
#include "router/daemon/router_agent.h"
#include "router/fleet_merge.h"
#include "router/wire/control_codec.h"
#include "router/wire/directory_codec.h"
#include "router/wire/worker_codec.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// How long a configured controller may keep a router waiting before that is worth a line.
constexpr Duration kLonelyAfter = Seconds(5);

// Nothing that an operator would call a change.
bool SameAs(const v1::WorkerState& a, const v1::WorkerState& b) {
  return a.busy() == b.busy() && a.draining() == b.draining() && a.healthy() == b.healthy() &&
         a.request_id() == b.request_id();
}

// What a worker says of itself counts more than what is said of it, while it says anything.
const std::string& TierOf(const KnownWorker& worker, bool watched, const std::string& said) {
  const bool heard = worker.state.wire_version() != 0 && watched;
  return worker.tier.empty() || !heard ? said : worker.tier;
}

// New names and addresses get numbers by being read.
class NumbersHere final : public DirectoryNumbers {
 public:
  NumbersHere(AddressTable& addresses, const WorkerRegistry& registry, const KnownFleet& fleet)
      : addresses_(addresses), registry_(registry), fleet_(fleet) {}
  RouterId RouterNamed(const std::string& name) override { return addresses_.RouterNamed(name); }
  WorkerId WorkerAt(const std::string& address) override {
    return addresses_.WorkerAt(address, runtime::MonotonicNow());
  }
  TierId TierOf(WorkerId worker, const std::string& said) override {
    return fleet_.TierNamed(router::TierOf(addresses_.worker(worker), registry_.watched(worker), said));
  }

 private:
  AddressTable& addresses_;
  const WorkerRegistry& registry_;
  const KnownFleet& fleet_;
};

}  // namespace

// ---- what the registry wants ----

void RouterAgent::Do(const RouterListed& action) { addresses_.router(action.router).listed = true; }

void RouterAgent::Do(const RouterUnlisted& action) {
  addresses_.router(action.router).listed = false;
  addresses_.HangUp(action.router);
}

void RouterAgent::Do(const WatchWorker& action) {
  const WorkerId id = action.worker;
  watches_[id] = std::make_unique<WorkerWatch>(
      loop_, streams_, *addresses_.WorkerStub(id), settings_.name,
      [this, id](const v1::WorkerState& state) { OnNews(id, state); },
      [this, id](bool dead) { OnWatchEnded(id, dead); });
}

void RouterAgent::Do(const UnwatchWorker& action) {
  watches_.erase(action.worker);
  addresses_.worker(action.worker).reachable = false;
  addresses_.HangUp(action.worker);
}

void RouterAgent::Do(const AdoptionChanged& action) {
  log_.Info(absl::StrCat("worker at ", addresses_.worker(action.worker).address,
                         action.adopted ? " is reported by this router: its own router is gone"
                                        : " is reported by another router again"));
}

void RouterAgent::Do(const TierNotServed& action) {
  const KnownWorker& worker = addresses_.worker(action.worker);
  log_.Warning(absl::StrCat("worker at ", worker.address, " serves tier '", worker.tier,
                            "', which the fleet does not have; it gets no jobs"));
}

// ---- the directory ----

DirectoryHeard RouterAgent::ReadDirectory(const v1::Directory& directory, bool from_disk) {
  NumbersHere numbers(addresses_, registry_, fleet_);
  DirectoryRead read = router::ReadDirectory(
      directory, from_disk, {settings_.name, settings_.region, *fleet_.fleet, runtime::MonotonicNow()},
      numbers);
  if (read.routers_full) log_.Error("the table of routers is full; restart this router");
  if (read.workers_left_out > 0) {
    log_.Error(absl::StrCat(read.workers_left_out,
                            " workers of the directory are not used: too many new addresses came since "
                            "this router started (",
                            addresses_.workers().size(), " so far, at most ", AddressTable::kEntriesMax,
                            "). Does something report ever new ones?"));
  }
  return std::move(read.heard);
}

void RouterAgent::ApplyDirectory(const v1::Directory& directory, bool from_disk) {
  read_ = directory;
  driver_.Apply(ReadDirectory(read_, from_disk));
  sessions_.LogLed();
}

void RouterAgent::Do(const DirectoryDecided& decided) {
  if (!decided.active) {
    log_.Warning(absl::StrCat("directory of an earlier leader refused: epoch ", decided.epoch, "; epoch ",
                              decided.epoch_seen_max, " has been seen"));
    return;
  }
  for (const v1::RouterEntry& entry : read_.routers()) {
    const RouterId id = addresses_.FindRouter(entry.name());
    if (!id.valid() || !IsCallable(entry.address())) continue;
    addresses_.Move(id, entry.address());
    if (fleet_.fleet->world.FindRegion(entry.region())) addresses_.router(id).region = entry.region();
  }
  for (const v1::WorkerEntry& entry : read_.workers()) {
    const WorkerId id = addresses_.FindWorker(entry.address());
    if (!id.valid() || entry.region() != settings_.region) continue;
    KnownWorker& worker = addresses_.worker(id);
    worker.name = entry.name();
    worker.said_draining = entry.draining();
    worker.tier = TierOf(worker, registry_.watched(id), entry.tier());
  }
  if (!decided.store) return;
  *state_.mutable_directory() = read_;
  unsaved_ = true;
}

std::vector<TierResolved> RouterAgent::ResolveTiers() const {
  std::vector<TierResolved> resolved;
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) {
    const std::string& tier = addresses_.workers()[id]->tier;
    if (!tier.empty()) resolved.push_back({id, fleet_.TierNamed(tier)});
  }
  return resolved;
}

// ---- what workers say ----

void RouterAgent::OnNews(WorkerId id, const v1::WorkerState& state) {
  KnownWorker& worker = addresses_.worker(id);
  if (!worker.reachable || !SameAs(worker.state, state)) worker.since = runtime::MonotonicNow();
  const bool announces = !worker.reachable || worker.state.sequence() != state.sequence();
  worker.reachable = true;
  worker.state = state;
  if (worker.tier != state.tier()) {
    worker.tier = state.tier();
    if (learns_tiers_ && registry_.local(id)) LearnTier(worker.tier);
  }
  WatchHeard heard{SaidBy(id, fleet_.TierNamed(worker.tier), state)};
  if (announces) heard.announce = AnnouncementOf(id, state);
  driver_.Apply(heard);
}

void RouterAgent::OnWatchEnded(WorkerId id, bool dead) {
  KnownWorker& worker = addresses_.worker(id);
  if (worker.reachable) worker.since = runtime::MonotonicNow();
  worker.reachable = false;
  driver_.Apply(WatchEnded{id, dead});
}

// Nobody told this router of any fleet: the tier of a local worker exists, with the default settings.
void RouterAgent::LearnTier(const std::string& tier_name) {
  if (tier_name.empty() || !HeaderText::Parse(tier_name) || fleet_.fleet->FindTier(tier_name)) return;
  Fleet next = *fleet_.fleet;
  Tier tier;
  tier.name = tier_name;
  tier.regions.assign(next.world.regions.size(), TierRegion());
  tier.regions[fleet_.home].workers = 1;
  next.tiers.push_back(std::move(tier));
  lonely_at_ = runtime::MonotonicNow() + (settings_.controller.empty() ? ZeroDuration() : kLonelyAfter);
  UseFleet(next);
}

// A controller that is on its way makes the line untrue a moment later, so it waits for one a little.
void RouterAgent::SayLonely(Time now) {
  if (now < lonely_at_) return;
  lonely_at_ = InfiniteFuture();
  if (!learns_tiers_) return;
  std::vector<std::string> tiers;
  for (const Tier& tier : fleet_.fleet->tiers) tiers.push_back(tier.name);
  log_.Info(absl::StrCat(
      settings_.controller.empty()
          ? "no controller and no topology"
          : absl::StrCat("the controller at ", settings_.controller, " has not told of its fleet"),
      ": serves the tiers of its local workers (", absl::StrJoin(tiers, ", "), ") with default settings"));
}

void RouterAgent::ReportWorkers(v1::Report& report) {
  const Time now = runtime::MonotonicNow();
  std::vector<WorkerReported> reported;
  driver_.node().ReportWorkers(now, reported);
  for (const WorkerReported& seen : reported) {
    const KnownWorker& worker = addresses_.worker(seen.worker);
    v1::WorkerReport& out = *report.add_workers();
    const std::string& tier = seen.tier.valid() ? fleet_.fleet->tiers[seen.tier].name : worker.tier;
    out = EncodeWorker(seen, {worker.state.worker(), tier, worker.address});
    for (const auto& [name, value] : worker.metrics) {
      v1::MetricValue& metric = *out.add_metrics();
      metric.set_name(name);
      metric.set_value(value);
      metric.set_age_s(ToDoubleSeconds(now - worker.metrics_read));
    }
  }
}

// Asks its own workers for their pages, if their tier has metrics that are found only there.
void RouterAgent::ReadPages() {
  for (const WorkerId id : registry_.own()) {
    KnownWorker& worker = addresses_.worker(id);
    const auto tier = fleet_.fleet->FindTier(worker.tier);
    if (!tier || worker.state.metrics_address().empty()) continue;
    std::vector<std::string> names;
    for (const MetricSpec& metric : fleet_.fleet->tiers[*tier].metrics) {
      if (metric.name != kBusyMetric) names.push_back(metric.name);
    }
    if (names.empty()) continue;
    worker.page = std::make_unique<PageReader>(loop_, [&worker, names](const std::string& body) {
      worker.metrics = ReadMetrics(body, names);
      worker.metrics_read = runtime::MonotonicNow();
    });
    worker.page->Read(worker.state.metrics_address());
  }
}

}  // namespace ringway::router
