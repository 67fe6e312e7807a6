#include "controller/journal/checkpoint.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/journal/checkpoint_time.h"
#include "controller/journal/estimate_codec.h"
#include "controller/tiers/table_remap.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

constexpr std::int64_t kNeverAgain = std::numeric_limits<std::int64_t>::max();

void SaveRow(const RpsRow& row, google::protobuf::RepeatedPtrField<v1::TargetRate>* out) {
  for (const TargetRps& cell : row) {
    v1::TargetRate* rate = out->Add();
    rate->set_region(cell.target.value());
    rate->set_rps(cell.rps);
  }
}

RpsRow LoadRow(const google::protobuf::RepeatedPtrField<v1::TargetRate>& saved, std::size_t regions) {
  RpsRow row;
  for (const v1::TargetRate& rate : saved) {
    if (rate.region() < regions) row.push_back({RegionId(rate.region()), rate.rps()});
  }
  return row;
}

// Stands in for an address that is not known; nobody dials it.
constexpr const char* kNowhere = "localhost:1";

void SaveFlows(const IdVector<TierId, TierFlow>& flows,
               google::protobuf::RepeatedPtrField<v1::FlowCheckpoint>* out) {
  for (const TierFlow& flow : flows) {
    v1::FlowCheckpoint* saved = out->Add();
    for (const double entered : flow.entered) saved->add_entered(entered);
    SaveRow(flow.sent, saved->mutable_sent());
    saved->set_ran(flow.ran);
  }
}

IdVector<TierId, TierFlow> LoadFlows(const google::protobuf::RepeatedPtrField<v1::FlowCheckpoint>& saved,
                                     const Fleet& fleet) {
  IdVector<TierId, TierFlow> flows(fleet.tiers.size());
  for (TierId id(0); id != flows.end_id() && static_cast<int>(id.index()) < saved.size();
       id = TierId(id.index() + 1)) {
    const v1::FlowCheckpoint& flow = saved.Get(static_cast<int>(id.index()));
    for (int p = 0; p < flow.entered_size() && p < static_cast<int>(kMaxPriorities); ++p) {
      flows[id].entered[static_cast<std::size_t>(p)] = flow.entered(p);
    }
    flows[id].sent = LoadRow(flow.sent(), fleet.world.regions.size());
    flows[id].ran = flow.ran();
  }
  return flows;
}

v1::RouterCheckpoint SaveRouter(const RouterState& router, const Fleet& fleet) {
  v1::RouterCheckpoint saved;
  saved.set_stream(router.stream);
  *saved.mutable_hello() = EncodeHello(router.hello, fleet);
  saved.set_left_at_ns(Nanos(router.left_at));
  saved.set_reported_at_ns(Nanos(router.reported_at));
  saved.set_active_epoch(router.active.epoch);
  saved.set_active_version(router.active.version);
  saved.set_sent_epoch(router.sent.epoch);
  saved.set_sent_version(router.sent.version);
  saved.set_sent_at_ns(Nanos(router.sent_at));
  RouterReport last;
  last.period_s = router.period_s;
  last.workers = router.workers;
  *saved.mutable_last() = EncodeReport(last, fleet);
  saved.set_window_s(router.window_s);
  saved.set_window_at_ns(Nanos(router.window_at));
  SaveFlows(router.window, saved.mutable_window());
  SaveFlows(router.rates, saved.mutable_rates());
  return saved;
}

absl::StatusOr<RouterState> LoadRouter(const v1::RouterCheckpoint& saved, const Fleet& fleet) {
  v1::Hello said = saved.hello();
  // Of a router that was gone when the controller started only the name and the region are known.
  const bool nowhere = saved.gone() && said.address().empty();
  if (nowhere) said.set_address(kNowhere);
  auto hello = DecodeHello(said, fleet);
  if (!hello.ok()) return hello.status();
  if (nowhere) hello->address.clear();
  auto last = DecodeReport(saved.last(), fleet);
  if (!last.ok()) return last.status();
  RouterState router;
  router.stream = saved.stream();
  router.hello = *std::move(hello);
  router.left_at = At(saved.left_at_ns());
  router.reported_at = At(saved.reported_at_ns());
  router.active = {saved.active_epoch(), saved.active_version()};
  router.sent = {saved.sent_epoch(), saved.sent_version()};
  router.sent_at = At(saved.sent_at_ns());
  router.period_s = last->period_s;
  router.workers = std::move(last->workers);
  router.window_s = saved.window_s();
  router.window_at = At(saved.window_at_ns());
  router.window = LoadFlows(saved.window(), fleet);
  router.rates = LoadFlows(saved.rates(), fleet);
  return router;
}

absl::Status LoadRouters(const v1::ControllerCheckpoint& saved, const Fleet& fleet, FleetView& view) {
  for (const v1::RouterCheckpoint& router : saved.routers()) {
    auto state = LoadRouter(router, fleet);
    if (!state.ok()) return state.status();
    if (router.gone()) {
      view.RestoreGone(*std::move(state));
    } else {
      view.Restore(*std::move(state));
    }
  }
  return absl::OkStatus();
}

v1::RegionCheckpoint SaveRegion(const TierLoop& loop, RegionId id) {
  const RegionState& region = loop.region(id);
  v1::RegionCheckpoint saved;
  saved.set_reported_at_ns(Nanos(region.traffic.reported_at));
  saved.set_fresh(region.traffic.fresh);
  for (const double rps : region.traffic.demand_rps) saved.add_demand_rps(rps);
  SaveRow(region.traffic.sent_rps, saved.mutable_sent());
  saved.set_alive(static_cast<std::uint32_t>(region.traffic.alive));
  saved.set_ran_rps(region.traffic.ran_rps);
  saved.set_reachable(region.traffic.reachable);
  const Standing::State& standing = region.standing.state();
  saved.set_up(standing.up);
  saved.set_falls(standing.falls);
  saved.set_fell_at_ns(Nanos(standing.fell_at));
  saved.set_rose_at_ns(Nanos(standing.rose_at));
  for (const SampledMetric& sampled : region.sampled) {
    v1::SampledValue* out = saved.add_sampled();
    out->set_value(sampled.value);
    out->set_at_ns(Nanos(sampled.at));
  }
  for (const RateHistory::Entry& entry : region.arriving.entries()) {
    v1::RateEntry* out = saved.add_arriving();
    out->set_at_ns(Nanos(entry.at));
    out->set_rps(entry.rps);
  }
  *saved.mutable_estimate() = SaveEstimate(loop.estimate().region(id).learnt());
  return saved;
}

void LoadRegion(const v1::RegionCheckpoint& saved, RegionId id, std::size_t regions, TierLoop& loop) {
  RegionState& region = loop.region(id);
  region.traffic.reported_at = At(saved.reported_at_ns());
  region.traffic.fresh = saved.fresh();
  for (int p = 0; p < saved.demand_rps_size() && p < static_cast<int>(kMaxPriorities); ++p) {
    region.traffic.demand_rps[static_cast<std::size_t>(p)] = saved.demand_rps(p);
  }
  region.traffic.sent_rps = LoadRow(saved.sent(), regions);
  region.traffic.alive = static_cast<int>(saved.alive());
  region.traffic.ran_rps = saved.ran_rps();
  region.traffic.reachable = saved.reachable();
  region.standing.Restore({.up = saved.up(),
                           .falls = saved.falls(),
                           .fell_at = At(saved.fell_at_ns()),
                           .rose_at = At(saved.rose_at_ns())});
  for (std::size_t m = 0; m < region.sampled.size() && static_cast<int>(m) < saved.sampled_size(); ++m) {
    const v1::SampledValue& sampled = saved.sampled(static_cast<int>(m));
    region.sampled[m] = {sampled.value(), At(sampled.at_ns())};
  }
  for (const v1::RateEntry& entry : saved.arriving()) region.arriving.Add(At(entry.at_ns()), entry.rps());
  loop.estimate().region(id).Restore(LoadEstimate(saved.estimate()));
}

// The directory in the ids of `fleet`, which has the same names.
Directory LoadDirectory(const Directory& saved, const Fleet& names, const Fleet& fleet) {
  Directory directory;
  directory.version = saved.version;
  directory.partial = saved.partial;
  directory.view = saved.view;
  directory.before = saved.before;
  for (RouterEntry entry : saved.routers) {
    entry.region = *SameRegion(entry.region, names, fleet);
    directory.routers.push_back(std::move(entry));
  }
  const auto load_workers = [&](const auto& from, auto& to) {
    to.resize(fleet.world.regions.size());
    for (RegionId id(0); id != from.end_id(); id = RegionId(id.index() + 1)) {
      for (WorkerEntry entry : from[id]) {
        entry.tier = *fleet.FindTier(names.tiers[entry.tier].name);
        to[*SameRegion(id, names, fleet)].push_back(std::move(entry));
      }
    }
  };
  load_workers(saved.workers, directory.workers);
  load_workers(saved.kept, directory.kept);
  directory.leaders.resize(fleet.world.regions.size());
  for (RegionId id(0); id != saved.leaders.end_id(); id = RegionId(id.index() + 1)) {
    for (LeaderEntry entry : saved.leaders[id]) {
      entry.tier = *fleet.FindTier(names.tiers[entry.tier].name);
      directory.leaders[*SameRegion(id, names, fleet)].push_back(std::move(entry));
    }
  }
  return directory;
}

absl::Status CheckNames(const Fleet& names, const Fleet& fleet) {
  for (const Region& region : names.world.regions) {
    if (!fleet.world.FindRegion(region.name)) {
      return absl::InvalidArgumentError(absl::StrCat("region '", region.name, "' is not in the topology"));
    }
  }
  for (const Tier& tier : names.tiers) {
    if (!fleet.FindTier(tier.name)) {
      return absl::InvalidArgumentError(absl::StrCat("tier '", tier.name, "' is not in the topology"));
    }
  }
  return absl::OkStatus();
}

// Of each pair that was measured, in either direction.
void SaveTrips(const MeasuredRtt& trips, const Fleet& fleet, v1::ControllerCheckpoint& saved) {
  const RttMatrix& rtt = fleet.world.rtt;
  const auto save = [&](const MeasuredRtt::Pair& pair, double measured_ms) {
    v1::MeasuredTrip* out = saved.add_measured_trips();
    out->set_from(pair.first.value());
    out->set_to(pair.second.value());
    out->set_measured_ms(measured_ms);
    const bool corrected = rtt.source(pair.first, pair.second) == RttSource::kMeasured;
    out->set_in_use_ms(corrected ? rtt.ms(pair.first, pair.second) : -1);
  };
  for (const auto& [pair, ms] : trips.measured()) {
    save(pair, ms);
    const MeasuredRtt::Pair back{pair.second, pair.first};
    if (!trips.measured().contains(back)) save(back, -1);
  }
  saved.set_trips_heard(trips.review().heard);
  const Time wanted = trips.review().wanted_since;
  saved.set_trips_wanted_since_ns(wanted == InfiniteFuture() ? kNeverAgain : Nanos(wanted));
  saved.set_trips_corrected_at_ns(Nanos(trips.review().corrected_at));
}

// The map with the corrections that were in use.
absl::StatusOr<std::shared_ptr<const Fleet>> LoadTrips(const v1::ControllerCheckpoint& saved,
                                                       std::shared_ptr<const Fleet> fleet,
                                                       MeasuredRtt& trips) {
  if (saved.measured_trips().empty()) return fleet;
  const std::size_t regions = fleet->world.regions.size();
  MeasuredRtt::Measured measured;
  auto corrected = std::make_shared<Fleet>(*fleet);
  for (const v1::MeasuredTrip& trip : saved.measured_trips()) {
    if (trip.from() >= regions || trip.to() >= regions) {
      return absl::InvalidArgumentError("the checkpoint's measured_trips are not of its topology");
    }
    const RegionId from(trip.from()), to(trip.to());
    if (trip.measured_ms() >= 0) measured[{from, to}] = trip.measured_ms();
    if (trip.in_use_ms() >= 0) corrected->world.rtt.Set(from, to, trip.in_use_ms(), RttSource::kMeasured);
  }
  const std::int64_t wanted = saved.trips_wanted_since_ns();
  trips.Restore(std::move(measured), {.heard = saved.trips_heard(),
                                      .wanted_since = wanted == kNeverAgain ? InfiniteFuture() : At(wanted),
                                      .corrected_at = At(saved.trips_corrected_at_ns())});
  return corrected;
}

absl::Status CheckShape(const v1::ControllerCheckpoint& saved, const Fleet& fleet) {
  if (saved.journal_version() < kJournalVersionOldest || saved.journal_version() > kJournalVersion) {
    return absl::InvalidArgumentError(absl::StrCat("journal_version is ", saved.journal_version(),
                                                   "; this release reads ", kJournalVersionOldest, " to ",
                                                   kJournalVersion));
  }
  if (saved.tiers_size() != static_cast<int>(fleet.tiers.size())) {
    return absl::InvalidArgumentError("the checkpoint's tiers are not those of its topology");
  }
  for (const v1::TierCheckpoint& tier : saved.tiers()) {
    if (tier.regions_size() != static_cast<int>(fleet.world.regions.size())) {
      return absl::InvalidArgumentError("the checkpoint's regions are not those of its topology");
    }
  }
  if (saved.epoch_period_ns() <= 0) return absl::InvalidArgumentError("epoch_period_ns is not positive");
  return absl::OkStatus();
}

ControllerSettings LoadSettings(const v1::ControllerCheckpoint& saved) {
  return {.name = saved.controller(),
          .epoch_period = Nanoseconds(saved.epoch_period_ns()),
          .report_period = Nanoseconds(saved.report_period_ns()),
          .settle_max = Nanoseconds(saved.settle_max_ns()),
          .directory_grace = Nanoseconds(saved.directory_grace_ns()),
          .resend_after = Nanoseconds(saved.resend_after_ns()),
          .history_max = saved.history_max()};
}

}  // namespace

v1::ControllerCheckpoint Checkpointer::Save(const ControllerMachine& machine, const std::string& topology) {
  v1::ControllerCheckpoint saved;
  saved.set_journal_version(kJournalVersion);
  saved.set_topology(topology);
  const ControllerSettings& settings = machine.settings_;
  saved.set_controller(settings.name);
  saved.set_epoch_period_ns(ToInt64Nanoseconds(settings.epoch_period));
  saved.set_report_period_ns(ToInt64Nanoseconds(settings.report_period));
  saved.set_settle_max_ns(ToInt64Nanoseconds(settings.settle_max));
  saved.set_directory_grace_ns(ToInt64Nanoseconds(settings.directory_grace));
  saved.set_resend_after_ns(ToInt64Nanoseconds(settings.resend_after));
  saved.set_history_max(settings.history_max);
  *saved.mutable_durable() = EncodeState(machine.Durable());
  saved.mutable_durable()->clear_table();  // the last of the history
  saved.set_last_epoch_at_ns(Nanos(machine.last_epoch_at_));
  saved.set_next_epoch_at_ns(Nanos(machine.next_epoch_at_));
  saved.set_settle_until_ns(Nanos(machine.settle_until_));
  saved.set_settling(machine.settling_);
  saved.set_began_blank(machine.began_blank_);
  saved.set_settled_at_ns(Nanos(machine.settled_at_));
  const LeaderRegistry::Counters leaders = machine.leaders_.counters();
  saved.set_last_appointment(leaders.epoch == machine.epoch_ ? leaders.last : 0);
  saved.set_leaders_trusted_until_ns(Nanos(leaders.trusted_until));
  saved.set_leaders_due_ns(leaders.due == InfiniteFuture() ? kNeverAgain : Nanos(leaders.due));
  const Fleet& fleet = *machine.fleet_;
  saved.set_cut_off(machine.cut_off_);
  for (RegionId id(0); id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
    v1::LostRegion* lost = saved.add_lost();
    lost->set_known(machine.horizon_.known()[id] != 0);
    lost->set_lost_at_ns(Nanos(machine.horizon_.lost_at()[id]));
  }
  SaveTrips(machine.measured_rtt_, fleet, saved);
  for (const auto& [name, router] : machine.view_.routers()) *saved.add_routers() = SaveRouter(router, fleet);
  for (const auto& [name, router] : machine.view_.gone()) {
    *saved.add_routers() = SaveRouter(router, fleet);
    saved.mutable_routers()->rbegin()->set_gone(true);
  }
  for (const TierLoop& loop : machine.tiers_) {
    v1::TierCheckpoint* tier = saved.add_tiers();
    tier->set_no_worker_seen(!loop.seen_a_worker());
    for (RegionId id(0); id != fleet.world.regions.end_id(); id = RegionId(id.index() + 1)) {
      *tier->add_regions() = SaveRegion(loop, id);
    }
  }
  for (const auto& table : machine.history_.tables()) *saved.add_history() = EncodeWholeTable(*table, fleet);
  return saved;
}

absl::StatusOr<ControllerMachine> Checkpointer::Load(const v1::ControllerCheckpoint& saved,
                                                     std::shared_ptr<const Fleet> fleet) {
  if (absl::Status s = CheckShape(saved, *fleet); !s.ok()) return s;
  auto durable = DecodeState(saved.durable());
  if (!durable.ok()) return durable.status();
  const std::shared_ptr<const Directory> directory = std::exchange(durable->directory, nullptr);
  const std::shared_ptr<const Fleet> names = durable->fleet;
  if (absl::Status s = CheckNames(*names, *fleet); !s.ok()) return s;
  ControllerMachine machine(LoadSettings(saved), fleet, *durable, At(saved.last_epoch_at_ns()));
  machine.epoch_ = durable->epoch;
  machine.last_epoch_at_ = At(saved.last_epoch_at_ns());
  machine.next_epoch_at_ = At(saved.next_epoch_at_ns());
  machine.settle_until_ = At(saved.settle_until_ns());
  machine.settling_ = saved.settling();
  machine.began_blank_ = saved.began_blank();
  machine.settled_at_ = At(saved.settled_at_ns());
  machine.cut_off_ = saved.cut_off();
  for (RegionId id(0);
       id != fleet->world.regions.end_id() && static_cast<int>(id.index()) < saved.lost_size();
       id = RegionId(id.index() + 1)) {
    const v1::LostRegion& lost = saved.lost(static_cast<int>(id.index()));
    machine.horizon_.Restore(id, lost.known(), At(lost.lost_at_ns()));
  }
  auto corrected = LoadTrips(saved, machine.loaded_fleet_, machine.measured_rtt_);
  if (!corrected.ok()) return corrected.status();
  machine.fleet_ = *std::move(corrected);
  for (TierLoop& loop : machine.tiers_) {
    if (machine.fleet_ != machine.loaded_fleet_) loop.UseMap(machine.fleet_);
  }
  if (absl::Status s = LoadRouters(saved, *fleet, machine.view_); !s.ok()) return s;
  for (TierLoop& loop : machine.tiers_) {
    const v1::TierCheckpoint& tier = saved.tiers(static_cast<int>(loop.id().index()));
    loop.RestoreSeenAWorker(!tier.no_worker_seen());
    for (RegionId id(0); id != fleet->world.regions.end_id(); id = RegionId(id.index() + 1)) {
      LoadRegion(tier.regions(static_cast<int>(id.index())), id, fleet->world.regions.size(), loop);
    }
  }
  for (const v1::RoutingTable& message : saved.history()) {
    auto table = wire::DecodeTable(message, *fleet);
    if (!table.ok()) return table.status();
    machine.table_ = std::make_shared<const RoutingTable>(*std::move(table));
    machine.history_.Add(machine.table_);
  }
  const canary::TrialState& trial = durable->canary;
  machine.trial_.trial().RestoreSent(trial.first, trial.table);
  machine.trial_.Restore(machine.history_.Find(trial.table), *fleet);
  if (machine.table_ != nullptr) {
    for (TierLoop& loop : machine.tiers_) {
      loop.PutInForce(std::make_shared<const TierTable>(machine.table_->tiers[loop.id()]));
    }
  }
  if (directory != nullptr) {
    auto known = std::make_shared<const Directory>(LoadDirectory(*directory, *names, *fleet));
    machine.leaders_.Restore(
        known->leaders,
        {.epoch = machine.epoch_,
         .last = saved.last_appointment(),
         .trusted_until = At(saved.leaders_trusted_until_ns()),
         .due = saved.leaders_due_ns() == kNeverAgain ? InfiniteFuture() : At(saved.leaders_due_ns())});
    machine.directory_.Restore(directory->version, std::move(known));
  }
  return machine;
}

}  // namespace ringway::controller
