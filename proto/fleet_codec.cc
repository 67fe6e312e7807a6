#include "proto/fleet_codec.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/header_text.h"

namespace ringway::wire {
namespace {

constexpr int kRegionsMax = 10000;
constexpr int kTiersMax = 1000;
constexpr int kRingsMax = 64;

absl::Status Bad(const std::string& place, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat("FleetMap.", place, ": ", problem));
}

bool Within(double x, double low, double high) { return std::isfinite(x) && x >= low && x <= high; }

// Names of regions, tiers and priorities become headers and labels.
absl::Status CheckText(const std::string& place, const std::string& name) {
  if (HeaderText::Parse(name)) return absl::OkStatus();
  return Bad(place, absl::StrCat("the name '", HeaderText::Escaped(name).text(),
                                 "' is not printable ASCII of at most ", HeaderText::kBytesMax, " bytes"));
}

void EncodeDispatch(const DispatchSpec& spec, v1::DispatchEntry* out) {
  out->set_mode(spec.mode == DispatchMode::kLedger ? v1::DispatchEntry::LEDGER : v1::DispatchEntry::PROBE);
  out->set_probes_per_round(spec.probes_per_round);
  out->set_offers_max(spec.attempts_max);
  out->set_delay_busy_min(spec.delay.busy_min);
  out->set_delay_share_max(spec.delay.share_max);
  out->set_delay_span_s(ToDoubleSeconds(spec.delay.span));
  out->set_backoff_base_s(ToDoubleSeconds(spec.backoff.base));
  out->set_backoff_multiplier(spec.backoff.multiplier);
  out->set_backoff_cap_of_service(spec.backoff.cap_of_service);
  out->set_backoff_full_jitter(spec.backoff.full_jitter);
  out->set_budget_share(spec.budget.share);
  out->set_budget_floor_per_second(spec.budget.floor_per_second);
  out->set_waiting_max(spec.waiting_max);
  v1::SpillEntry& spill = *out->mutable_spill();
  spill.set_share(spec.spill.share);
  spill.set_keep_s(ToDoubleSeconds(spec.spill.keep));
  spill.set_wait_min_s(ToDoubleSeconds(spec.spill.wait_min));
  spill.set_fade_s(ToDoubleSeconds(spec.spill.fade));
  spill.set_refused_cost_s(ToDoubleSeconds(spec.spill.refused_cost));
  spill.set_no_idle_hints(!spec.spill.idle_hints);
}

absl::Status DecodeSpill(const std::string& place, const v1::SpillEntry& in, SpillSpec& spec) {
  const bool sane = Within(in.share(), 0, 1) && Within(in.keep_s(), 1e-3, 86400) &&
                    Within(in.wait_min_s(), 0, 3600) && Within(in.fade_s(), 1e-3, 86400) &&
                    Within(in.refused_cost_s(), 0, 3600);
  if (!sane) return Bad(place, "a value is out of range or not a number");
  spec = {.idle_hints = !in.no_idle_hints(),
          .share = in.share(),
          .keep = Seconds(in.keep_s()),
          .wait_min = Seconds(in.wait_min_s()),
          .fade = Seconds(in.fade_s()),
          .refused_cost = Seconds(in.refused_cost_s())};
  return absl::OkStatus();
}

absl::Status DecodeDispatch(const std::string& place, const v1::DispatchEntry& in, DispatchSpec& spec) {
  if (!v1::DispatchEntry::Mode_IsValid(in.mode())) return Bad(place, "mode is neither PROBE nor LEDGER");
  spec.mode = in.mode() == v1::DispatchEntry::LEDGER ? DispatchMode::kLedger : DispatchMode::kProbe;
  if (in.probes_per_round() < 1 || in.probes_per_round() > 1024) {
    return Bad(place, absl::StrCat("probes_per_round is ", in.probes_per_round(), ", allowed 1 to 1024"));
  }
  if (in.offers_max() < 1 || in.offers_max() > 1'000'000) {
    return Bad(place, absl::StrCat("offers_max is ", in.offers_max(), ", allowed 1 to 1000000"));
  }
  if (in.waiting_max() > 10'000'000) return Bad(place, "waiting_max is above 10000000");
  const bool sane = Within(in.delay_busy_min(), 0, 1) && Within(in.delay_share_max(), 0, 1) &&
                    Within(in.delay_span_s(), 0, 3600) && Within(in.backoff_base_s(), 0, 3600) &&
                    Within(in.backoff_multiplier(), 1, 100) && Within(in.backoff_cap_of_service(), 0, 1000) &&
                    Within(in.budget_share(), 0, 1e6) && Within(in.budget_floor_per_second(), 0, 1e9);
  if (!sane) return Bad(place, "a delay, backoff or budget value is out of range or not a number");
  spec.probes_per_round = static_cast<int>(in.probes_per_round());
  spec.attempts_max = static_cast<int>(in.offers_max());
  spec.waiting_max = in.waiting_max();
  spec.delay = {in.delay_busy_min(), in.delay_share_max(), Seconds(in.delay_span_s())};
  spec.backoff = {Seconds(in.backoff_base_s()), in.backoff_multiplier(), in.backoff_cap_of_service(),
                  in.backoff_full_jitter()};
  spec.budget = {in.budget_share(), in.budget_floor_per_second()};
  if (!in.has_spill()) return absl::OkStatus();
  return DecodeSpill(absl::StrCat(place, ".spill"), in.spill(), spec.spill);
}

absl::Status DecodeWorld(const v1::FleetMap& message, World& world) {
  const int n = message.regions_size();
  if (n < 1 || n > kRegionsMax)
    return Bad("regions", absl::StrCat(n, " regions, allowed 1 to ", kRegionsMax));
  if (message.rtt_ms_size() != n * n) {
    return Bad("rtt_ms", absl::StrCat(message.rtt_ms_size(), " values for ", n, " regions, needed ", n * n));
  }
  for (const v1::RegionEntry& region : message.regions()) {
    if (region.name().empty()) return Bad("regions", "a region has no name");
    if (absl::Status s = CheckText("regions", region.name()); !s.ok()) return s;
    if (world.FindRegion(region.name()))
      return Bad("regions", absl::StrCat("'", region.name(), "' appears twice"));
    world.regions.push_back({.name = region.name(),
                             .title = region.title(),
                             .latitude_deg = region.latitude_deg(),
                             .longitude_deg = region.longitude_deg(),
                             .utc_offset_minutes = region.utc_offset_minutes()});
  }
  world.rtt = RttMatrix(n);
  for (int from = 0; from < n; ++from) {
    for (int to = 0; to < n; ++to) {
      const double ms = message.rtt_ms(from * n + to);
      if (!Within(ms, 0, 60000)) {
        return Bad("rtt_ms", absl::StrCat("from ", message.regions(from).name(), " to ",
                                          message.regions(to).name(), ": ", ms, " is not in [0, 60000]"));
      }
      world.rtt.Set(RegionId(from), RegionId(to), ms);
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeTierRegions(const v1::TierEntry& entry, const World& world, Tier& tier) {
  tier.regions.resize(world.regions.size());
  tier.residency_forbidden.resize(world.regions.size());
  for (const v1::TierRegionEntry& region : entry.regions()) {
    const std::string place = absl::StrCat("tiers['", entry.name(), "'].regions['", region.region(), "']");
    const auto id = world.FindRegion(region.region());
    if (!id) return Bad(place, "not a region of this fleet");
    if (region.workers() > 10'000'000) return Bad(place, "workers is above 10000000");
    if (!Within(region.import_cap_share(), 0, 1)) return Bad(place, "import_cap_share is not in [0, 1]");
    tier.regions[*id].workers = static_cast<int>(region.workers());
    if (!Within(region.reserve_share(), 0, 1)) return Bad(place, "reserve_share is not in [0, 1]");
    tier.regions[*id].import_cap_share = region.import_cap_share();
    tier.regions[*id].reserve_share = region.reserve_share();
    for (const std::string& name : region.forbidden_targets()) {
      const auto forbidden = world.FindRegion(name);
      if (!forbidden)
        return Bad(place, absl::StrCat("forbidden target '", name, "' is not a region of this fleet"));
      tier.residency_forbidden[*id].push_back(*forbidden);
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeRings(const std::string& place, const v1::TierEntry& entry, Tier& tier) {
  if (entry.rings_size() > kRingsMax) {
    return Bad(place, absl::StrCat(entry.rings_size(), " rings, allowed 0 to ", kRingsMax));
  }
  double before_ms = 0;
  for (const v1::RingEntry& ring : entry.rings()) {
    if (!Within(ring.rtt_ms_max(), before_ms, 60000) || !Within(ring.unlock_load(), 0, 1e6)) {
      return Bad(place, absl::StrCat("ring '", ring.name(), "': rtt_ms_max has to rise, up to 60000, and ",
                                     "unlock_load to be a number from 0"));
    }
    before_ms = ring.rtt_ms_max();
    tier.route.rings.push_back({ring.name(), ring.rtt_ms_max(), ring.unlock_load()});
  }
  return absl::OkStatus();
}

absl::StatusOr<Tier> DecodeTier(const v1::TierEntry& entry, const World& world) {
  const std::string place = absl::StrCat("tiers['", entry.name(), "']");
  Tier tier;
  if (entry.name().empty()) return Bad("tiers", "a tier has no name");
  if (absl::Status s = CheckText("tiers", entry.name()); !s.ok()) return s;
  tier.name = entry.name();
  if (entry.priorities_size() < 1 || entry.priorities_size() > static_cast<int>(kMaxPriorities)) {
    return Bad(place, absl::StrCat(entry.priorities_size(), " priorities, allowed 1 to ", kMaxPriorities));
  }
  for (const std::string& priority : entry.priorities()) {
    if (absl::Status s = CheckText(place, priority); !s.ok()) return s;
  }
  tier.priorities.assign(entry.priorities().begin(), entry.priorities().end());
  if (!Within(entry.service_mean_s(), 1e-6, 86400))
    return Bad(place, "service_mean_s is not in [1e-6, 86400]");
  if (!Within(entry.deadline_s(), 1e-6, 864000)) return Bad(place, "deadline_s is not in [1e-6, 864000]");
  tier.service_mean = Seconds(entry.service_mean_s());
  tier.deadline = Seconds(entry.deadline_s());
  for (const std::string& metric : entry.metrics()) {
    MetricSpec spec;
    spec.name = metric;
    tier.metrics.push_back(std::move(spec));
  }
  if (absl::Status s = DecodeDispatch(absl::StrCat(place, ".dispatch"), entry.dispatch(), tier.dispatch);
      !s.ok()) {
    return s;
  }
  if (absl::Status s = DecodeRings(place, entry, tier); !s.ok()) return s;
  if (absl::Status s = DecodeTierRegions(entry, world, tier); !s.ok()) return s;
  return tier;
}

void EncodeTier(const Tier& tier, const World& world, v1::TierEntry* out) {
  out->set_name(tier.name);
  for (const std::string& priority : tier.priorities) out->add_priorities(priority);
  EncodeDispatch(tier.dispatch, out->mutable_dispatch());
  out->set_service_mean_s(ToDoubleSeconds(tier.service_mean));
  out->set_deadline_s(ToDoubleSeconds(tier.deadline));
  for (const MetricSpec& metric : tier.metrics) {
    if (metric.promql.empty()) out->add_metrics(metric.name);
  }
  for (const RingSpec& ring : tier.route.rings) {
    v1::RingEntry& entry = *out->add_rings();
    entry.set_name(ring.name);
    entry.set_rtt_ms_max(ring.rtt_ms_max);
    entry.set_unlock_load(ring.unlock_load);
  }
  for (RegionId id(0); id != tier.regions.end_id(); id = RegionId(id.index() + 1)) {
    v1::TierRegionEntry* region = out->add_regions();
    region->set_region(world.regions[id].name);
    region->set_workers(tier.regions[id].workers);
    region->set_import_cap_share(tier.regions[id].import_cap_share);
    region->set_reserve_share(tier.regions[id].reserve_share);
    if (!tier.residency_forbidden.contains(id)) continue;
    for (RegionId forbidden : tier.residency_forbidden[id]) {
      region->add_forbidden_targets(world.regions[forbidden].name);
    }
  }
}

}  // namespace

v1::FleetMap EncodeFleet(const Fleet& fleet) {
  v1::FleetMap message;
  const std::size_t n = fleet.world.regions.size();
  for (const Region& region : fleet.world.regions) {
    v1::RegionEntry* out = message.add_regions();
    out->set_name(region.name);
    out->set_title(region.title);
    out->set_latitude_deg(region.latitude_deg);
    out->set_longitude_deg(region.longitude_deg);
    out->set_utc_offset_minutes(region.utc_offset_minutes);
  }
  for (std::size_t from = 0; from < n; ++from) {
    for (std::size_t to = 0; to < n; ++to)
      message.add_rtt_ms(fleet.world.rtt.ms(RegionId(from), RegionId(to)));
  }
  for (const Tier& tier : fleet.tiers) EncodeTier(tier, fleet.world, message.add_tiers());
  return message;
}

absl::StatusOr<Fleet> DecodeFleet(const v1::FleetMap& message) {
  Fleet fleet;
  if (absl::Status s = DecodeWorld(message, fleet.world); !s.ok()) return s;
  if (message.tiers_size() < 1 || message.tiers_size() > kTiersMax) {
    return Bad("tiers", absl::StrCat(message.tiers_size(), " tiers, allowed 1 to ", kTiersMax));
  }
  for (const v1::TierEntry& entry : message.tiers()) {
    if (fleet.FindTier(entry.name())) return Bad("tiers", absl::StrCat("'", entry.name(), "' appears twice"));
    auto tier = DecodeTier(entry, fleet.world);
    if (!tier.ok()) return tier.status();
    fleet.tiers.push_back(*std::move(tier));
  }
  return fleet;
}

}  // namespace ringway::wire
