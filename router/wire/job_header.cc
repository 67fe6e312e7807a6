#include "router/wire/job_header.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/header_text.h"
#include "proto/job_codec.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

absl::StatusOr<TierId> ResolveTier(const std::string& name, const KnownFleet& fleet) {
  std::vector<std::string> served;
  TierId only;
  for (TierId t(0); t != fleet.fleet->tiers.end_id(); t = TierId(t.index() + 1)) {
    if (fleet.retired.contains(t) && fleet.retired[t]) continue;
    if (fleet.fleet->tiers[t].name == name) return t;
    served.push_back(fleet.fleet->tiers[t].name);
    only = t;
  }
  if (name.empty() && served.size() == 1) return only;
  if (served.empty()) {
    return absl::InvalidArgumentError(
        "JobHeader.tier: this router knows no tiers yet: it has neither a controller, nor a topology, nor a "
        "worker beside it");
  }
  const std::string found = name.empty() ? "is empty" : absl::StrCat("is '", name, "'");
  return absl::InvalidArgumentError(
      absl::StrCat("JobHeader.tier: ", found, "; this fleet serves: ", absl::StrJoin(served, ", ")));
}

absl::StatusOr<Priority> ResolvePriority(const std::string& name, const Tier& tier) {
  if (name.empty()) return Priority{0};
  for (std::size_t p = 0; p < tier.priorities.size() && p < kMaxPriorities; ++p) {
    if (tier.priorities[p] == name) return static_cast<Priority>(p);
  }
  return absl::InvalidArgumentError(absl::StrCat("JobHeader.priority: is '", name, "'; tier ", tier.name,
                                                 " has: ", absl::StrJoin(tier.priorities, ", ")));
}

// Another model than the one that was asked for is no answer.
absl::Status CheckModel(const std::string& model, TierId tier, const KnownFleet& fleet) {
  const std::string& name = fleet.fleet->tiers[tier].name;
  if (!fleet.models.contains(tier) || fleet.models[tier].Takes(name, model)) return absl::OkStatus();
  std::vector<std::string> known = fleet.models[tier].names();
  if (!fleet.models[tier].Names(name)) known.insert(known.begin(), name);
  return absl::InvalidArgumentError(absl::StrCat("JobHeader.model: is '", HeaderText::Escaped(model).text(),
                                                 "'; the workers of tier ", name,
                                                 " have: ", absl::StrJoin(known, ", ")));
}

void StateTimes(v1::JobHeader& header, const JobFacts& facts, Duration on_the_way, Time now) {
  const double left_s = ToDoubleSeconds(facts.deadline - now - on_the_way);
  // Zero would mean "the default"; a job with nothing left says so with the smallest deadline there is.
  header.set_deadline_s(std::max(left_s, 1e-6));
  header.set_age_s(std::max(0.0, ToDoubleSeconds(now - facts.arrived)));
  header.set_wire_version(wire::kWireVersion);
}

}  // namespace

absl::StatusOr<JobFacts> FactsOf(const v1::JobHeader& header, bool forwarded, const KnownFleet& fleet,
                                 Time now) {
  if (absl::Status s = wire::CheckJobHeader(header); !s.ok()) return s;
  if (forwarded && header.hops() > kForwardHopsMax) {
    return absl::InvalidArgumentError(absl::StrCat("JobHeader.hops: is ", header.hops(), ", allowed is ",
                                                   kForwardHopsMax, ": a forwarded job is not sent on"));
  }
  const auto tier_id = ResolveTier(header.tier(), fleet);
  if (!tier_id.ok()) return tier_id.status();
  const Tier& tier = fleet.fleet->tiers[*tier_id];
  const bool plain = forwarded && header.has_http();
  if (absl::Status s = CheckModel(header.model(), *tier_id, fleet); !s.ok()) return s;
  const auto priority = plain ? absl::StatusOr<Priority>(static_cast<Priority>(header.http().priority()))
                              : ResolvePriority(header.priority(), tier);
  if (!priority.ok()) return priority.status();

  JobFacts facts{.tier = *tier_id, .priority = *priority, .forwarded = forwarded};
  facts.source = fleet.home;
  facts.spilled = forwarded && header.route_reason() == kSpillReason;
  facts.landing = forwarded && header.landing();
  if (forwarded) facts.source = fleet.fleet->world.FindRegion(header.source_region()).value_or(RegionId());
  facts.keyed = plain ? header.http().keyed() : !header.idempotency_key().empty();
  facts.safe = plain && header.http().safe();
  facts.cost = {header.steps(), header.pixels(), header.frames()};
  facts.arrived = now - Seconds(forwarded ? header.age_s() : 0);
  facts.deadline = now + (header.deadline_s() > 0 ? Seconds(header.deadline_s()) : tier.deadline);
  return facts;
}

void Sanitize(v1::JobHeader& header, bool forwarded, const KnownFleet& fleet, const std::string& request_id) {
  if (header.request_id().empty()) header.set_request_id(request_id);
  header.clear_lease();
  if (forwarded) return;
  header.clear_http();
  header.set_source_region(fleet.fleet->world.regions[fleet.home].name);
  header.set_hops(0);
  header.clear_table_epoch();
  header.clear_table_version();
  header.clear_route_reason();
  header.clear_landing();
  header.clear_offer();
}

std::string AttemptName(const std::string& router, std::uint64_t incarnation, AttemptId attempt) {
  return absl::StrCat(router, "/", incarnation, "/", attempt);
}

v1::JobUp HeaderForWorker(const v1::JobHeader& header, const JobFacts& facts, const std::string& lease,
                          Time now, const std::string& attempt) {
  v1::JobUp up;
  *up.mutable_header() = header;
  StateTimes(*up.mutable_header(), facts, ZeroDuration(), now);
  up.mutable_header()->set_lease(lease);
  up.mutable_header()->set_offer(attempt);
  return up;
}

v1::JobUp HeaderForRouter(const v1::JobHeader& header, const JobFacts& facts, const ForwardToRouter& forward,
                          Duration rtt, Time now, const std::string& attempt) {
  v1::JobUp up;
  v1::JobHeader& out = *up.mutable_header();
  out = header;
  StateTimes(out, facts, rtt, now);
  out.set_hops(header.hops() + 1);
  out.set_table_epoch(forward.table.epoch);
  out.set_table_version(forward.table.version);
  out.set_route_reason(std::string(forward.route.reason));
  out.set_landing(forward.landing);
  out.set_offer(attempt);
  return up;
}

}  // namespace ringway::router
