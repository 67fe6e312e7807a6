#include "controller/orders/commands.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/orders/room.h"
#include "controller/tiers/table_remap.h"

namespace ringway::controller {
namespace {

constexpr double kSumTolerance = 1e-6;  // what people may be off by
constexpr double kSumExact = 1e-9;      // what tables may be off by
constexpr std::size_t kNamesListed = 30;

absl::string_view View(std::string_view text) { return absl::string_view(text.data(), text.size()); }

absl::Status NoSuch(std::string_view kind, std::string_view name, std::vector<std::string> names) {
  const std::size_t more = names.size() > kNamesListed ? names.size() - kNamesListed : 0;
  if (more > 0) names.resize(kNamesListed);
  return absl::NotFoundError(absl::StrCat(View(kind), " '", View(name),
                                          "' does not exist; there are: ", absl::StrJoin(names, ", "),
                                          more > 0 ? absl::StrCat(" and ", more, " more") : ""));
}

struct CommandTarget {
  Time now;
  const OperatorCommand& order;
  TierLoops& tiers;
  const TableHistory& history;
  std::vector<NamedShortfall>& shortfall;

  const Fleet& fleet() const { return tiers.front().fleet(); }
  absl::StatusOr<TierLoop*> Loop(const std::string& name) const {
    auto id = FindTier(fleet(), name);
    if (!id.ok()) return id.status();
    return &tiers[id->index()];
  }
  // None: the order lasts.
  std::optional<Term> term() const {
    if (order.lasts == ZeroDuration()) return std::nullopt;
    return Term{.until = now + order.lasts, .length = order.lasts, .who = order.who};
  }
  // The end of a sentence about an order.
  std::string ForHowLong() const {
    return order.lasts == ZeroDuration() ? "" : absl::StrCat(" for ", absl::FormatDuration(order.lasts));
  }

  absl::StatusOr<std::string> operator()(const DrainCommand& command) const;
  absl::StatusOr<std::string> operator()(const ThresholdCommand& command) const;
  absl::StatusOr<std::string> operator()(const ModeCommand& command) const;
  absl::StatusOr<std::string> operator()(const PinCommand& command) const;
  absl::StatusOr<std::string> operator()(const RollbackCommand& command) const;
  absl::StatusOr<std::string> operator()(const CanaryCommand& command) const;

 private:
  // Fills `shortfall`; an error when the order must not go on.
  absl::Status CheckRoom(const std::vector<TierLoop*>& loops, const DrainCommand& command) const;
};

absl::Status CommandTarget::CheckRoom(const std::vector<TierLoop*>& loops,
                                      const DrainCommand& command) const {
  for (const TierLoop* loop : loops) {
    DryRunEdit edit;
    edit.drain.emplace_back(command.region, command.share);
    auto missing = ShortfallOf(*loop, edit, now);
    if (!missing.ok()) return missing.status();
    shortfall.insert(shortfall.end(), missing->begin(), missing->end());
  }
  if (shortfall.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("nothing was drained: the rest of the fleet has no room for ", command.region, "; ",
                   Describe(shortfall), "; --force (of a call: force) drains it all the same"));
}

absl::StatusOr<std::string> CommandTarget::operator()(const DrainCommand& command) const {
  auto region = FindRegion(fleet(), command.region);
  if (!region.ok()) return region.status();
  if (!(command.share > 0 && command.share <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("share is ", command.share, ": above 0 and up to 1 is allowed"));
  }
  std::vector<TierLoop*> loops;
  if (command.tier.empty()) {
    for (TierLoop& loop : tiers) loops.push_back(&loop);
  } else {
    auto loop = Loop(command.tier);
    if (!loop.ok()) return loop.status();
    loops.push_back(*loop);
  }
  if (command.drain && command.check_room) {
    if (absl::Status room = CheckRoom(loops, command); !room.ok()) return room;
  }
  Duration pace;
  for (TierLoop* loop : loops) {
    pace = std::max(pace, loop->tier().guard.drain_pace);
    loop->orders().drains[*region].Set(command.drain ? command.share : 0.0, term());
    loop->Obey(now);
  }
  const std::string part = command.share < 1 ? absl::StrFormat(" by %.4g %%", 100 * command.share) : "";
  return absl::StrCat(command.drain ? "draining " : "letting traffic back into ", command.region,
                      command.drain ? part : "", " in ",
                      command.tier.empty() ? "all tiers" : absl::StrCat("tier ", command.tier),
                      ", paced over ", absl::FormatDuration(pace), ForHowLong());
}

absl::StatusOr<std::string> CommandTarget::operator()(const ThresholdCommand& command) const {
  auto found = Loop(command.tier);
  if (!found.ok()) return found.status();
  TierLoop& loop = **found;
  std::optional<RegionId> region;
  if (!command.region.empty()) {
    auto named = FindRegion(fleet(), command.region);
    if (!named.ok()) return named.status();
    region = *named;
  }
  const double threshold = command.overload_threshold;
  if (!command.clear && !(threshold > 0 && threshold <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("overload_threshold is ", threshold, ": above 0 and up to 1 is allowed"));
  }
  const auto in_force = [&] {
    return region ? OverloadThreshold(loop.tier(), *region) : loop.tier().route.overload_threshold;
  };
  const double before = in_force();
  Timed<std::optional<double>>& setting =
      region ? loop.orders().thresholds[*region] : loop.orders().threshold;
  setting.Set(command.clear ? std::nullopt : std::optional<double>(threshold), term());
  loop.Obey(now);
  return absl::StrCat("overload threshold of ", region ? absl::StrCat(command.region, " in ") : "", "tier ",
                      loop.tier().name, ": ", before, " -> ", in_force(), ForHowLong());
}

absl::StatusOr<std::string> CommandTarget::operator()(const ModeCommand& command) const {
  auto loop = Loop(command.tier);
  if (!loop.ok()) return loop.status();
  const TierMode before = (*loop)->mode();
  (*loop)->orders().mode.Set(command.mode, term());
  return absl::StrCat("tier ", (*loop)->tier().name, ": ", View(TierModeName(before)), " -> ",
                      View(TierModeName(command.mode)), ForHowLong());
}

absl::StatusOr<std::string> CommandTarget::operator()(const PinCommand& command) const {
  auto found = Loop(command.tier);
  if (!found.ok()) return found.status();
  TierLoop& loop = **found;
  auto region = FindRegion(fleet(), command.region);
  if (!region.ok()) return region.status();
  const auto priorities = static_cast<Priority>(loop.tier().priorities.size());
  if (!command.pin) {
    std::size_t count = 0;
    for (auto& [key, pin] : loop.orders().pins) {
      if (key.first != *region) continue;
      pin.Set(std::nullopt, term());
      ++count;
    }
    std::erase_if(loop.orders().pins, [](auto& pin) { return !pin.second.lasting && !pin.second.over; });
    loop.Obey(now);
    return count > 0 ? absl::StrCat("row of ", command.region, " follows the plan again", ForHowLong())
                     : absl::StrCat("row of ", command.region, " was not pinned");
  }
  if (command.routes.empty() && command.shed_fraction == 0) {
    if (loop.in_force() == nullptr) {
      return absl::InvalidArgumentError("no table is in force yet: name the routes to pin");
    }
    std::vector<Row> rows;
    for (Priority p = 0; p < priorities; ++p) {
      const Row& in_force = loop.in_force()->at(p, *region);
      std::vector<PinnedRoute> routes;
      for (const Route& route : in_force.routes) {
        routes.push_back({fleet().world.regions[route.target].name, route.fraction});
      }
      auto row = PinnedRow(fleet(), loop.tier(), *region, routes, in_force.shed_fraction);
      if (!row.ok()) return row.status();
      rows.push_back(*std::move(row));
    }
    for (Priority p = 0; p < priorities; ++p)
      loop.orders().pins[{*region, p}].Set(std::move(rows[p]), term());
    loop.Obey(now);
    return absl::StrCat("row of ", command.region, " stays as it is now", ForHowLong());
  }
  if (command.priority >= priorities) {
    return absl::InvalidArgumentError(absl::StrCat("priority ", static_cast<int>(command.priority),
                                                   " does not exist; tier ", loop.tier().name, " has ",
                                                   static_cast<int>(priorities)));
  }
  auto row = PinnedRow(fleet(), loop.tier(), *region, command.routes, command.shed_fraction);
  if (!row.ok()) return row.status();
  loop.orders().pins[{*region, command.priority}].Set(*std::move(row), term());
  loop.Obey(now);
  return absl::StrCat("row of ", command.region, ", priority ", loop.tier().priorities[command.priority],
                      ", is pinned", ForHowLong());
}

absl::StatusOr<std::string> CommandTarget::operator()(const RollbackCommand& command) const {
  auto loop = Loop(command.tier);
  if (!loop.ok()) return loop.status();
  const auto table = command.table != nullptr ? command.table : history.Find(command.version);
  if (table == nullptr) {
    return absl::NotFoundError(absl::StrCat("table ", command.version.epoch, ".", command.version.version,
                                            " is not kept; `ringway history` lists those that are"));
  }
  (*loop)->PutInForce(std::make_shared<const TierTable>(table->tiers[(*loop)->id()]));
  (*loop)->orders().mode.Set(TierMode::kFrozen, term());
  return absl::StrCat("tier ", (*loop)->tier().name, " is back on table ", command.version.epoch, ".",
                      command.version.version, " of ",
                      absl::FormatTime("%Y-%m-%d %H:%M:%SZ", table->planned_at, absl::UTCTimeZone()),
                      " and frozen there",
                      order.lasts == ZeroDuration() ? "; set it active to plan again" : ForHowLong());
}

absl::StatusOr<std::string> CommandTarget::operator()(const CanaryCommand&) const {
  return absl::InvalidArgumentError("a canary is of the whole file, not of a tier");
}

struct Describer {
  std::string operator()(const DrainCommand& c) const {
    return absl::StrCat(c.drain ? "drain " : "undrain ", c.region, c.tier.empty() ? "" : " tier=", c.tier,
                        c.drain && c.share < 1 ? absl::StrCat(" share=", c.share) : "");
  }
  std::string operator()(const ThresholdCommand& c) const {
    return absl::StrCat("set threshold tier=", c.tier, c.region.empty() ? "" : " region=", c.region, " to ",
                        c.clear ? std::string("the topology's") : absl::StrCat(c.overload_threshold));
  }
  std::string operator()(const ModeCommand& c) const {
    return absl::StrCat("set mode tier=", c.tier, " to ", View(TierModeName(c.mode)));
  }
  std::string operator()(const PinCommand& c) const {
    std::string text = absl::StrCat(c.pin ? "pin " : "unpin ", c.region, " tier=", c.tier);
    for (const PinnedRoute& route : c.routes) absl::StrAppend(&text, " ", route.target, "=", route.fraction);
    if (c.shed_fraction > 0) absl::StrAppend(&text, " shed=", c.shed_fraction);
    return text;
  }
  std::string operator()(const RollbackCommand& c) const {
    return absl::StrCat("roll back tier=", c.tier, " to ", c.version.epoch, ".", c.version.version);
  }
  std::string operator()(const CanaryCommand& c) const {
    return c.promote ? "promote canary" : "abort canary";
  }
};

std::int8_t RingOf(const Tier& tier, double rtt_ms) {
  std::size_t ring = 0;
  while (ring + 1 < tier.route.rings.size() && tier.route.rings[ring].rtt_ms_max < rtt_ms) ++ring;
  return static_cast<std::int8_t>(ring);
}

}  // namespace

absl::StatusOr<TierId> FindTier(const Fleet& fleet, std::string_view name) {
  if (name.empty() && fleet.tiers.size() == 1) return TierId(0);
  if (const auto id = fleet.FindTier(name)) return *id;
  std::vector<std::string> names;
  for (const Tier& tier : fleet.tiers) names.push_back(tier.name);
  return NoSuch("tier", name, std::move(names));
}

absl::StatusOr<RegionId> FindRegion(const Fleet& fleet, std::string_view name) {
  if (const auto id = fleet.world.FindRegion(name)) return *id;
  std::vector<std::string> names;
  for (const Region& region : fleet.world.regions) names.push_back(region.name);
  return NoSuch("region", name, std::move(names));
}

absl::StatusOr<Row> PinnedRow(const Fleet& fleet, const Tier& tier, RegionId source,
                              const std::vector<PinnedRoute>& routes, double shed_fraction) {
  Row row;
  double sum = shed_fraction;
  bool sane = std::isfinite(shed_fraction) && shed_fraction >= 0;
  for (const PinnedRoute& pinned : routes) {
    auto target = FindRegion(fleet, pinned.target);
    if (!target.ok()) return target.status();
    if (tier.regions[*target].workers <= 0 || !MaySend(tier, source, *target)) {
      return absl::InvalidArgumentError(absl::StrCat("tier ", tier.name, " may not send from ",
                                                     fleet.world.regions[source].name, " to ", pinned.target,
                                                     ": no workers there, or residency forbids it"));
    }
    for (const Route& other : row.routes) {
      if (other.target == *target) {
        return absl::InvalidArgumentError(absl::StrCat("target ", pinned.target, " appears twice"));
      }
    }
    sane = sane && std::isfinite(pinned.fraction) && pinned.fraction > 0;
    sum += pinned.fraction;
    const double rtt_ms = fleet.world.rtt.ms(source, *target);
    row.routes.push_back({.target = *target,
                          .fraction = pinned.fraction,
                          .ring = *target == source ? kHomeRing : RingOf(tier, rtt_ms),
                          .unlock_load = 0,
                          .reason = RouteReason::kPinned});
  }
  if (!sane || std::abs(sum - 1) > kSumTolerance) {
    return absl::InvalidArgumentError(
        absl::StrCat("fractions must be above 0 and sum to 1 with the shed fraction; they sum to ", sum));
  }
  row.shed_fraction = shed_fraction;
  // Only where it is needed, so that a pin that is read back from disk is the same to the bit.
  if (std::abs(sum - 1) > kSumExact) {
    for (Route& route : row.routes) route.fraction /= sum;
    row.shed_fraction /= sum;
  }
  const auto home_then_near = [&](const Route& a, const Route& b) {
    return std::pair(a.ring, fleet.world.rtt.ms(source, a.target)) <
           std::pair(b.ring, fleet.world.rtt.ms(source, b.target));
  };
  std::stable_sort(row.routes.begin(), row.routes.end(), home_then_near);
  return row;
}

std::string TierOf(const OperatorCommand& command) {
  return std::visit(
      [](const auto& what) -> std::string {
        if constexpr (requires { what.tier; }) return what.tier;
        return "";
      },
      command.what);
}

std::string Describe(const OperatorCommand& command) {
  const std::string what = std::visit(Describer{}, command.what);
  if (command.lasts == ZeroDuration()) return what;
  return absl::StrCat(what, " for ", absl::FormatDuration(command.lasts));
}

absl::StatusOr<std::string> Carry(Time now, const OperatorCommand& command, TierLoops& tiers,
                                  const TableHistory& history, std::vector<NamedShortfall>& shortfall) {
  if (command.lasts != ZeroDuration() && !(command.lasts >= kTermMin && command.lasts <= kTermMax)) {
    return absl::InvalidArgumentError(absl::StrCat("it may last ", absl::FormatDuration(kTermMin), " to ",
                                                   absl::FormatDuration(kTermMax), ", not ",
                                                   absl::FormatDuration(command.lasts)));
  }
  return std::visit(CommandTarget{now, command, tiers, history, shortfall}, command.what);
}

}  // namespace ringway::controller
