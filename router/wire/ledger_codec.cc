#include "router/wire/ledger_codec.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "proto/job_codec.h"
#include "proto/table_codec.h"

namespace ringway::router {
namespace {

constexpr double kSecondsMax = wire::kDeadlineSecondsMax;

absl::Status Bad(const char* field, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", problem));
}

double InSeconds(Duration duration) { return std::clamp(ToDoubleSeconds(duration), 0.0, kSecondsMax); }

absl::StatusOr<Duration> ReadSeconds(const char* field, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= kSecondsMax) return Seconds(seconds);
  return Bad(field, absl::StrCat("is ", seconds, ", allowed are 0 to ", kSecondsMax, " seconds"));
}

absl::StatusOr<std::string> ReadName(const char* field, const std::string& name) {
  if (!name.empty() && name.size() <= wire::kNameBytesMax) return name;
  return Bad(field, absl::StrCat("is ", name.size(), " bytes long, allowed are 1 to ", wire::kNameBytesMax));
}

absl::StatusOr<Lease> ReadLease(const char* field, const std::string& text) {
  if (text.size() <= wire::kNameBytesMax) {
    if (const auto lease = ParseLease(text)) return *lease;
  }
  return Bad(field, absl::StrCat("is '", text.substr(0, 80), "', which is no lease (L1-2-3)"));
}

absl::StatusOr<WorkerId> ReadWorker(const char* field, const std::string& address, const WorkerNames& names) {
  const auto name = ReadName(field, address);
  if (!name.ok()) return name.status();
  const WorkerId worker = names.FindWorker(address);
  if (worker.valid()) return worker;
  return absl::NotFoundError(absl::StrCat(field, ": no worker at ", address, " is known here"));
}

struct LeasedWorker {
  WorkerId worker;
  Lease lease;
};

// Of every message that names a worker and a lease. The lease is judged first: what is malformed is an error
// whoever it is about.
template <class Message>
absl::StatusOr<LeasedWorker> ReadLeased(const Message& message, const WorkerNames& names) {
  const auto lease = ReadLease("lease", message.lease());
  if (!lease.ok()) return lease.status();
  const auto worker = ReadWorker("worker", message.worker(), names);
  if (!worker.ok()) return worker.status();
  return LeasedWorker{*worker, *lease};
}

template <class Message>
ledger::RequestKey KeyOf(const Message& message, RouterId router) {
  return {router, message.slot(), message.generation()};
}

template <class Message>
void SetKey(const ledger::RequestKey& key, Message* message) {
  message->set_slot(key.slot);
  message->set_generation(key.generation);
}

template <class Message>
void SetLeased(WorkerId worker, const Lease& lease, const WorkerNames& names, Message* message) {
  message->set_worker(std::string(names.AddressOf(worker)));
  message->set_lease(FormatLease(lease));
}

absl::StatusOr<Outcome> ReadOutcome(const std::string& name) {
  for (const Outcome outcome : {Outcome::kDone, Outcome::kBusy, Outcome::kFailed, Outcome::kTimeout,
                                Outcome::kCancelled, Outcome::kShed, Outcome::kRejected}) {
    if (OutcomeName(outcome) == name) return outcome;
  }
  return Bad("LedgerRelease.outcome", absl::StrCat("is '", name.substr(0, 80), "'"));
}

std::string NameOf(const World& world, RegionId region) {
  return region.valid() ? world.regions[region].name : "";
}

absl::StatusOr<RegionId> ReadRegion(const char* field, const std::string& name, const World& world) {
  if (name.empty()) return RegionId();
  if (name.size() > wire::kNameBytesMax) return ReadName(field, name).status();
  return world.FindRegion(name).value_or(RegionId());
}

absl::StatusOr<ledger::LedgerEvent> ReadAcquire(Time now, const v1::LedgerAcquire& message, RouterId from,
                                                const Fleet& fleet, TierId tier_id) {
  const Tier& tier = fleet.tiers[tier_id];
  const auto prefers = ReadRegion("LedgerAcquire.prefers", message.prefers(), fleet.world);
  if (!prefers.ok()) return prefers.status();
  const auto refused_by = ReadRegion("LedgerAcquire.refused_by", message.refused_by(), fleet.world);
  if (!refused_by.ok()) return refused_by.status();
  const auto age = ReadSeconds("LedgerAcquire.age_s", message.age_s());
  if (!age.ok()) return age.status();
  const auto deadline = ReadSeconds("LedgerAcquire.deadline_s", message.deadline_s());
  if (!deadline.ok()) return deadline.status();
  const auto expected = ReadSeconds("LedgerAcquire.expected_s", message.expected_s());
  if (!expected.ok()) return expected.status();
  if (message.generation() == 0) return Bad("LedgerAcquire.generation", "is 0, allowed are 1 and above");
  const auto priority = std::find(tier.priorities.begin(), tier.priorities.end() - 1, message.priority());
  return ledger::Acquire{.key = KeyOf(message, from),
                         .priority = static_cast<Priority>(priority - tier.priorities.begin()),
                         .arrived = now - *age,
                         .deadline = now + *deadline,
                         .expected = *expected,
                         .idle_only = message.idle_only(),
                         .may_leave = message.may_leave(),
                         .foreign = message.foreign(),
                         .prefers = *prefers,
                         .refused_by = *refused_by};
}

// What a later release may say besides is taken for the mildest.
ledger::Contact ContactOf(v1::LedgerRelease::Contact contact) {
  if (contact == v1::LedgerRelease::UNREACHED) return ledger::Contact::kUnreached;
  return contact == v1::LedgerRelease::BROKE ? ledger::Contact::kBroke : ledger::Contact::kAnswered;
}

absl::StatusOr<ledger::LedgerEvent> ReadRelease(const v1::LedgerRelease& message, const WorkerNames& names) {
  const auto outcome = ReadOutcome(message.outcome());
  if (!outcome.ok()) return outcome.status();
  const auto retry_after = ReadSeconds("LedgerRelease.retry_after_s", message.retry_after_s());
  if (!retry_after.ok()) return retry_after.status();
  const auto leased = ReadLeased(message, names);
  if (!leased.ok()) return leased.status();
  return ledger::Release{leased->worker, leased->lease, *outcome, *retry_after, ContactOf(message.contact())};
}

absl::StatusOr<ledger::RefuseReason> ReadReason(v1::LedgerRefusal::Reason reason) {
  switch (reason) {
    case v1::LedgerRefusal::INFEASIBLE:
      return ledger::RefuseReason::kInfeasible;
    case v1::LedgerRefusal::LINE_FULL:
      return ledger::RefuseReason::kLineFull;
    case v1::LedgerRefusal::NOT_LEADER:
      return ledger::RefuseReason::kNotLeader;
    case v1::LedgerRefusal::STALE:
      return ledger::RefuseReason::kStale;
    case v1::LedgerRefusal::OUT_OF_RANGE:
      return ledger::RefuseReason::kOutOfRange;
    default:
      return Bad("LedgerRefusal.reason", absl::StrCat("is ", static_cast<int>(reason)));
  }
}

v1::LedgerRefusal::Reason ReasonOf(ledger::RefuseReason reason) {
  switch (reason) {
    case ledger::RefuseReason::kInfeasible:
      return v1::LedgerRefusal::INFEASIBLE;
    case ledger::RefuseReason::kLineFull:
      return v1::LedgerRefusal::LINE_FULL;
    case ledger::RefuseReason::kNotLeader:
      return v1::LedgerRefusal::NOT_LEADER;
    case ledger::RefuseReason::kStale:
      return v1::LedgerRefusal::STALE;
    case ledger::RefuseReason::kOutOfRange:
      break;
  }
  return v1::LedgerRefusal::OUT_OF_RANGE;
}

}  // namespace

v1::LedgerUp EncodeGreeting(const LedgerGreeting& greeting) {
  v1::LedgerUp message;
  message.mutable_hello()->set_wire_version(wire::kWireVersion);
  message.mutable_hello()->set_router(greeting.router);
  message.mutable_hello()->set_tier(greeting.tier);
  message.mutable_hello()->set_region(greeting.region);
  message.mutable_hello()->set_hint_period_s(InSeconds(greeting.hint_period));
  return message;
}

absl::StatusOr<LedgerGreeting> DecodeGreeting(const v1::LedgerUp& message) {
  if (!message.has_hello()) return Bad("LedgerUp", "the first message of a stream must be its hello");
  const v1::LedgerHello& hello = message.hello();
  if (absl::Status s = wire::CheckWireVersion(hello.wire_version(), "LedgerHello"); !s.ok()) return s;
  auto router = ReadName("LedgerHello.router", hello.router());
  if (!router.ok()) return router.status();
  auto tier = ReadName("LedgerHello.tier", hello.tier());
  if (!tier.ok()) return tier.status();
  if (hello.region().size() > wire::kNameBytesMax)
    return ReadName("LedgerHello.region", hello.region()).status();
  const auto period = ReadSeconds("LedgerHello.hint_period_s", hello.hint_period_s());
  if (!period.ok()) return period.status();
  return LedgerGreeting{*std::move(router), *std::move(tier), hello.region(), *period};
}

v1::LedgerUp EncodeUp(Time now, const ledger::LedgerEvent& event, const Fleet& fleet, TierId tier_id,
                      const WorkerNames& names) {
  const Tier& tier = fleet.tiers[tier_id];
  v1::LedgerUp message;
  if (const auto* ask = std::get_if<ledger::Acquire>(&event)) {
    v1::LedgerAcquire* out = message.mutable_acquire();
    SetKey(ask->key, out);
    out->set_priority(tier.priorities[std::min<std::size_t>(ask->priority, tier.priorities.size() - 1)]);
    out->set_age_s(InSeconds(now - ask->arrived));
    out->set_deadline_s(InSeconds(ask->deadline - now));
    // A leader of an earlier release does not know the word, and refuses what would have to start now.
    out->set_expected_s(InSeconds(ask->idle_only ? ask->deadline - now : ask->expected));
    out->set_idle_only(ask->idle_only);
    out->set_may_leave(ask->may_leave);
    out->set_foreign(ask->foreign);
    out->set_prefers(NameOf(fleet.world, ask->prefers));
    out->set_refused_by(NameOf(fleet.world, ask->refused_by));
  } else if (const auto* withdraw = std::get_if<ledger::Withdraw>(&event)) {
    SetKey(withdraw->key, message.mutable_withdraw());
  } else if (const auto* renew = std::get_if<ledger::Renew>(&event)) {
    SetLeased(renew->worker, renew->lease, names, message.mutable_renew());
  } else {
    const auto* release = std::get_if<ledger::Release>(&event);
    RINGWAY_CHECK(release != nullptr);
    SetLeased(release->worker, release->lease, names, message.mutable_release());
    message.mutable_release()->set_outcome(std::string(OutcomeName(release->outcome)));
    message.mutable_release()->set_retry_after_s(InSeconds(release->retry_after));
    message.mutable_release()->set_contact(static_cast<v1::LedgerRelease::Contact>(release->contact));
  }
  return message;
}

absl::StatusOr<ledger::LedgerEvent> DecodeUp(Time now, const v1::LedgerUp& message, RouterId from,
                                             const Fleet& fleet, TierId tier, const WorkerNames& names) {
  if (message.has_acquire()) return ReadAcquire(now, message.acquire(), from, fleet, tier);
  if (message.has_withdraw()) return ledger::Withdraw{KeyOf(message.withdraw(), from)};
  if (message.has_renew()) {
    const auto leased = ReadLeased(message.renew(), names);
    if (!leased.ok()) return leased.status();
    return ledger::Renew{from, leased->worker, leased->lease};
  }
  if (message.has_release()) return ReadRelease(message.release(), names);
  return Bad("LedgerUp", "is neither acquire, withdraw, renew nor release");
}

v1::LedgerUp EncodeHintWanted(std::uint64_t number) {
  v1::LedgerUp message;
  message.mutable_hint_wanted()->set_number(number);
  return message;
}

v1::LedgerDown EncodeHint(const ledger::IdleHint& hint, std::uint64_t answers) {
  v1::LedgerDown message;
  v1::LedgerHint* out = message.mutable_hint();
  out->set_leader_epoch(hint.appointment.leader_epoch);
  out->set_appointment(hint.appointment.appointment);
  out->set_sequence(hint.sequence);
  out->set_idle(hint.idle);
  out->set_landings(hint.landings);
  out->set_answers(answers);
  return message;
}

ledger::IdleHint DecodeHint(const v1::LedgerHint& message) {
  return {.appointment = {message.leader_epoch(), message.appointment()},
          .sequence = message.sequence(),
          .idle = message.idle(),
          .landings = message.landings()};
}

v1::LedgerDown EncodeHeartbeat(const Fence& appointment, bool redirects) {
  v1::LedgerDown message;
  message.mutable_heartbeat()->set_leader_epoch(appointment.leader_epoch);
  message.mutable_heartbeat()->set_appointment(appointment.appointment);
  message.mutable_heartbeat()->set_redirects(redirects);
  return message;
}

LeaderHeartbeat DecodeHeartbeat(const v1::LedgerHeartbeat& message) {
  return {.appointment = {message.leader_epoch(), message.appointment()}, .redirects = message.redirects()};
}

v1::LedgerDown EncodeDown(const ledger::LedgerAction& action, const World& world, const WorkerNames& names) {
  v1::LedgerDown message;
  if (const auto* grant = std::get_if<ledger::Grant>(&action)) {
    v1::LedgerGrant* out = message.mutable_grant();
    SetKey(grant->key, out);
    SetLeased(grant->worker, grant->lease, names, out);
    out->set_waited_s(InSeconds(grant->waited));
  } else if (const auto* refuse = std::get_if<ledger::Refuse>(&action)) {
    SetKey(refuse->key, message.mutable_refusal());
    message.mutable_refusal()->set_reason(ReasonOf(refuse->reason));
  } else if (const auto* withdrawn = std::get_if<ledger::Withdrawn>(&action)) {
    SetKey(withdrawn->key, message.mutable_withdrawn());
  } else if (const auto* redirect = std::get_if<ledger::Redirect>(&action)) {
    SetKey(redirect->key, message.mutable_redirect());
    message.mutable_redirect()->set_region(NameOf(world, redirect->region));
  } else {
    const auto* lost = std::get_if<ledger::LeaseLost>(&action);
    RINGWAY_CHECK(lost != nullptr);
    SetLeased(lost->worker, lost->lease, names, message.mutable_lost());
  }
  return message;
}

absl::StatusOr<ledger::LedgerAction> DecodeDown(const v1::LedgerDown& message, RouterId self,
                                                const World& world, const WorkerNames& names) {
  if (message.has_grant()) {
    const v1::LedgerGrant& grant = message.grant();
    const auto waited = ReadSeconds("LedgerGrant.waited_s", grant.waited_s());
    if (!waited.ok()) return waited.status();
    const auto leased = ReadLeased(grant, names);
    if (!leased.ok()) return leased.status();
    return ledger::Grant{KeyOf(grant, self), leased->worker, leased->lease, *waited};
  }
  if (message.has_refusal()) {
    const auto reason = ReadReason(message.refusal().reason());
    if (!reason.ok()) return reason.status();
    return ledger::Refuse{KeyOf(message.refusal(), self), *reason};
  }
  if (message.has_withdrawn()) return ledger::Withdrawn{KeyOf(message.withdrawn(), self)};
  if (message.has_redirect()) {
    const auto name = ReadName("LedgerRedirect.region", message.redirect().region());
    if (!name.ok()) return name.status();
    const auto region = world.FindRegion(*name);
    if (!region)
      return absl::NotFoundError(absl::StrCat("LedgerRedirect.region: '", *name, "' is not known here"));
    return ledger::Redirect{KeyOf(message.redirect(), self), *region};
  }
  if (message.has_lost()) {
    const auto leased = ReadLeased(message.lost(), names);
    if (!leased.ok()) return leased.status();
    return ledger::LeaseLost{self, leased->worker, leased->lease};
  }
  return Bad("LedgerDown", "is neither grant, refusal, withdrawn, lost nor redirect");
}

}  // namespace ringway::router
