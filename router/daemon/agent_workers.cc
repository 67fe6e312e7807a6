// The router's agent, towards workers and other routers: who there is, who is watched, what they report.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/address.h"
#include "core/header_text.h"
#include "router/daemon/metrics_text.h"
#include "router/daemon/router_agent.h"
#include "router/fleet_merge.h"
#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Workers speak at least once a second; beyond this a silent one's busy time is not guessed.
constexpr absl::Duration kNewsPeriodMax = absl::Seconds(2);
// How long a configured controller may keep a router waiting before that is worth a line.
constexpr absl::Duration kLonelyAfter = absl::Seconds(5);
// Built in: told by busy_s.
constexpr char kBusyMetric[] = "busy";
// An adopted worker that does not answer leaves the directory by our own report. It may be restarting, and
// nobody else would see it come back.
constexpr absl::Duration kAdoptedSilentMax = absl::Seconds(60);

}  // namespace

// Tells the machine of a worker whose tier is known to the fleet; until then it is not asked.
void RouterAgent::ListWorker(WorkerId id) {
  const KnownWorker& worker = addresses_.worker(id);
  const bool pooled = worker.in_pool && !worker.unwell;
  if (!worker.local && !worker.in_region && !pooled) {
    Tell(WorkerUnlisted{id});
    sessions_.UnlistWorker(id);
    return;
  }
  if (worker.tier.empty()) return;
  const auto tier = fleet_.fleet->FindTier(worker.tier);
  if (!tier || fleet_.retired[*tier]) {
    log_.Warning(absl::StrCat("worker at ", worker.address, " serves tier '", worker.tier,
                              "', which the fleet does not have; it gets no jobs"));
    Tell(WorkerUnlisted{id});
    sessions_.UnlistWorker(id);
    return;
  }
  Tell(WorkerListed{id, *tier, worker.local});
  sessions_.ListWorker(id, *tier);
}

void RouterAgent::ListAllWorkers() {
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) ListWorker(id);
}

void RouterAgent::ListRouters(const v1::Directory& directory) {
  std::set<RouterId> listed;
  for (const v1::RouterEntry& entry : directory.routers()) {
    if (entry.name() == settings_.name || !IsCallable(entry.address())) continue;
    const auto region = fleet_.fleet->world.FindRegion(entry.region());
    if (!region) continue;  // a map that has it will come
    const RouterId id = addresses_.RouterNamed(entry.name(), entry.address());
    if (!id.valid()) {
      log_.Error("the table of routers is full; restart this router");
      return;
    }
    addresses_.router(id).region = entry.region();
    listed.insert(id);
    Tell(RouterListed{id, *region, entry.name()});
  }
  for (RouterId id(0); id != addresses_.routers().end_id(); id = RouterId(id.index() + 1)) {
    const bool now = listed.contains(id);
    if (addresses_.router(id).listed && !now) {
      Tell(RouterUnlisted{id});
      addresses_.HangUp(id);
    }
    addresses_.router(id).listed = now;
  }
}

void RouterAgent::ApplyDirectory(const v1::Directory& directory) {
  ListRouters(directory);
  sessions_.UseDirectory(directory);
  Tell(RoutersComplete{});
  std::set<WorkerId> listed;
  std::size_t left_out = 0;
  for (const v1::WorkerEntry& entry : directory.workers()) {
    if (entry.region() != settings_.region || !IsCallable(entry.address())) continue;
    const WorkerId id = addresses_.WorkerAt(entry.address(), runtime::MonotonicNow());
    if (!id.valid()) {
      ++left_out;
      continue;
    }
    KnownWorker& worker = addresses_.worker(id);
    if (worker.tier.empty() || worker.state.wire_version() == 0) worker.tier = entry.tier();
    worker.in_region = true;
    Adopt(worker, entry.router() == settings_.name && !worker.local);
    listed.insert(id);
    ListWorker(id);
    Watch(id);
    if (!watches_.contains(id)) Tell(WorkerHeard{id, {.draining = entry.draining()}});
  }
  for (WorkerId id(0); id != addresses_.workers().end_id(); id = WorkerId(id.index() + 1)) {
    KnownWorker& worker = addresses_.worker(id);
    if (!worker.in_region || listed.contains(id)) continue;
    const bool may_return = worker.adopted && !worker.state.healthy();
    if (may_return && runtime::MonotonicNow() - worker.heard < kAdoptedSilentMax) continue;
    worker.in_region = worker.adopted = false;
    if (!worker.local) {
      watches_.erase(id);
      addresses_.HangUp(id);
    }
    ListWorker(id);
  }
  if (left_out > 0) {
    log_.Error(absl::StrCat(left_out,
                            " workers of the directory are not used: too many new addresses came since "
                            "this router started (",
                            addresses_.workers().size(), " so far, at most ", AddressTable::kEntriesMax,
                            "). Does something report ever new ones?"));
  }
}

void RouterAgent::Adopt(KnownWorker& worker, bool adopted) {
  if (std::exchange(worker.adopted, adopted) == adopted) return;
  // Its busy time so far was the other router's to report.
  if (adopted) worker.busy_s_reported = BusySeconds(worker, runtime::MonotonicNow());
  log_.Info(absl::StrCat("worker at ", worker.address,
                         adopted ? " is reported by this router: the one beside it is gone"
                                 : " is reported by another router again"));
}

void RouterAgent::Watch(WorkerId id) {
  const auto tier = fleet_.fleet->FindTier(addresses_.worker(id).tier);
  // The leader of a ledger must hear of every slot.
  const bool room =
      watches_.size() < settings_.watch_max + settings_.workers.size() || (tier && sessions_.Holds(*tier));
  const bool ours = addresses_.worker(id).local || addresses_.worker(id).adopted;
  if (watches_.contains(id) || (!ours && !room)) return;
  watches_[id] =
      std::make_unique<WorkerWatch>(loop_, streams_, addresses_.WorkerStub(id), settings_.name,
                                    [this, id](const dispatch::WorkerNews& news,
                                               const v1::WorkerState* state) { OnNews(id, news, state); });
}

void RouterAgent::OnNews(WorkerId id, const dispatch::WorkerNews& news, const v1::WorkerState* state) {
  KnownWorker& worker = addresses_.worker(id);
  if (state == nullptr) {
    worker.state.set_healthy(false);  // as far as anybody here can tell
  } else {
    if (worker.state.wire_version() == 0) worker.busy_s_reported = state->busy_s_total();
    worker.state = *state;
    worker.heard = runtime::MonotonicNow();
    if (worker.tier != state->tier()) {
      worker.tier = state->tier();
      if (learns_tiers_ && worker.local) LearnTier(worker.tier);
      ListWorker(id);
    }
  }
  Tell(WorkerHeard{id, news});
  sessions_.HearWorker(id, state);
}

// Nobody told this router of any fleet: the tier of a worker beside it exists, with the default settings.
void RouterAgent::LearnTier(const std::string& tier_name) {
  if (tier_name.empty() || !HeaderText::Parse(tier_name) || fleet_.fleet->FindTier(tier_name)) return;
  Fleet next = *fleet_.fleet;
  Tier tier;
  tier.name = tier_name;
  tier.regions.assign(next.world.regions.size(), TierRegion());
  tier.regions[fleet_.home].workers = 1;
  next.tiers.push_back(std::move(tier));
  lonely_at_ = runtime::MonotonicNow() + (settings_.controller.empty() ? absl::ZeroDuration() : kLonelyAfter);
  UseFleet(next);
}

// A controller that is on its way makes the line untrue a moment later, so it waits for one a little.
void RouterAgent::SayLonely(absl::Time now) {
  if (now < lonely_at_) return;
  lonely_at_ = absl::InfiniteFuture();
  if (!learns_tiers_) return;
  std::vector<std::string> tiers;
  for (const Tier& tier : fleet_.fleet->tiers) tiers.push_back(tier.name);
  log_.Info(absl::StrCat(
      settings_.controller.empty()
          ? "no controller and no topology"
          : absl::StrCat("the controller at ", settings_.controller, " has not told of its fleet"),
      ": serves the tiers of the workers beside it (", absl::StrJoin(tiers, ", "),
      ") with default settings"));
}

// Busy time up to now: what the worker said last, and the time since if it was busy then.
double RouterAgent::BusySeconds(const KnownWorker& worker, absl::Time now) {
  const double total_s = worker.state.busy_s_total();
  if (!worker.state.busy() || !worker.state.healthy()) return total_s;
  return total_s + absl::ToDoubleSeconds(std::min(now - worker.heard, kNewsPeriodMax));
}

v1::WorkerReport RouterAgent::ReportOf(KnownWorker& worker) {
  const absl::Time now = runtime::MonotonicNow();
  v1::WorkerReport report;
  report.set_name(worker.state.worker());
  report.set_tier(worker.tier);
  report.set_address(worker.address);
  report.set_healthy(worker.state.healthy());
  report.set_draining(worker.state.draining());
  report.set_busy(worker.state.busy() ? 1 : 0);
  report.set_adopted(worker.adopted);
  const double total_s = BusySeconds(worker, now);
  // Less than was reported: a little, when a job ended before we heard of it; much, when the worker
  // restarted.
  const bool restarted = total_s < worker.busy_s_reported - absl::ToDoubleSeconds(kNewsPeriodMax);
  if (restarted) worker.busy_s_reported = 0;
  report.set_busy_s(std::max(0.0, total_s - worker.busy_s_reported));
  worker.busy_s_reported = std::max(worker.busy_s_reported, total_s);
  for (const auto& [name, value] : worker.metrics) {
    v1::MetricValue& metric = *report.add_metrics();
    metric.set_name(name);
    metric.set_value(value);
    metric.set_age_s(absl::ToDoubleSeconds(now - worker.metrics_read));
  }
  return report;
}

// Asks the workers beside for their pages, if their tier has metrics that are found only there.
void RouterAgent::ReadPages() {
  for (const auto& [id, watch] : watches_) {
    KnownWorker& worker = addresses_.worker(id);
    const auto tier = fleet_.fleet->FindTier(worker.tier);
    if (!(worker.local || worker.adopted) || !tier || worker.state.metrics_address().empty()) continue;
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
