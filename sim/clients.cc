#include "sim/clients.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::sim {
namespace {

constexpr std::uint64_t kChoiceStream = 0x63686f69;
constexpr std::uint64_t kKeyStream = 0x6b657973;
constexpr std::uint64_t kUploadStream = 0x75706c64;
constexpr std::uint64_t kLeaveStream = 0x6c656176;
constexpr double kLastS = 9e9;        // whole nanoseconds are counted up to there, 285 years
constexpr double kServiceMaxS = 9e6;  // a worker that is a thousand times slower is still counted
constexpr double kMeanPixels = 1e6;   // that a job of mean size is said to have

std::uint32_t TenantOf(const RecordedJob* recorded) {
  return recorded != nullptr ? recorded->tenant : RecordedJob::kNobody;
}

// As a request would tell it; routers estimate service times by steps x pixels x frames.
CostHint CostOf(const RecordedJob& recorded) {
  if (recorded.size <= 0) return {};
  const double pixels = std::clamp(recorded.size * kMeanPixels, 1.0, 4e9);
  return {.steps = 1, .pixels = static_cast<std::uint32_t>(pixels), .frames = 1};
}

}  // namespace

Clients::Clients(Stage& stage, const Scenario& scenario, const Routers& routers)
    : stage_(stage),
      scenario_(scenario),
      routers_(routers),
      arrivals_(&stage.queue),
      services_(scenario.seed, kServiceStream),
      choices_(scenario.seed, kChoiceStream),
      keys_(scenario.seed, kKeyStream),
      uploads_(scenario.seed, kUploadStream),
      leaves_(scenario.seed, kLeaveStream),
      routers_of_(scenario.fleet->world.regions.size()),
      bad_share_(scenario.fleet->world.regions.size(), 0.0),
      nearest_(NearestFirst(scenario.fleet->world.rtt)) {
  for (std::size_t i = 0; i < scenario.demand.size(); ++i) {
    streams_.emplace_back(ArrivalStream(scenario.demand[i].law, scenario.seed, kArrivalStreams + i));
    const Duration deadline = scenario.fleet->tiers[scenario.demand[i].tier].deadline;
    streams_.back().patience = std::min(deadline, Seconds(scenario.users.patience_s));
  }
  for (std::size_t i = 0; i < routers.places().size(); ++i) {
    routers_of_[routers.places()[RouterId(i)]].push_back(RouterId(i));
  }
}

void Clients::Begin() {
  if (stage_.queue.now_ns() > 0) return GoAhead(stage_.queue.now_ns());
  for (std::size_t i = 0; i < streams_.size(); ++i) ScheduleNext(i);
}

void Clients::ScheduleNext(std::size_t index) {
  Stream& stream = streams_[index];
  const double next_s = stream.arrivals.Next();
  if (next_s > kLastS) return;  // never, or beyond what can be counted
  stream.next = stream.arrivals.recorded();
  arrivals_->Push(std::max(static_cast<std::int64_t>(next_s * 1e9), NowNs()),
                  static_cast<std::uint8_t>(Happening::kUserArrives), static_cast<std::uint32_t>(index),
                  stream.generation);
}

UserIndex Clients::NewUser(std::size_t index, std::uint64_t key) {
  UserIndex user;
  if (free_users_.empty()) {
    user = static_cast<UserIndex>(users_.size());
    users_.emplace_back();
  } else {
    user = free_users_.back();
    free_users_.pop_back();
  }
  users_[user] = {.stream = index,
                  .tries = 0,
                  .recorded = streams_[index].next,
                  .key = key,
                  .serial = 0,
                  .submitted = Stage::Date(NowNs()),
                  .free = false};
  return user;
}

void Clients::OnArrives(std::size_t index, std::uint32_t generation) {
  if (streams_[index].generation != generation) return;  // drawn before the rate changed
  const UserSpec& habits = scenario_.users;
  const std::uint64_t key = habits.keyed_share > 0 && keys_.Chance(habits.keyed_share) ? ++last_key_ : 0;
  Submit(NewUser(index, key));
  if (key != 0 && keys_.Chance(habits.twice_share)) ScheduleTwin(index, key);
  ScheduleNext(index);
}

// The same request again, before the first is answered, or soon after: mostly while it runs.
void Clients::ScheduleTwin(std::size_t index, std::uint64_t key) {
  const double pause_s = MeanServiceS(scenario_.service[scenario_.demand[index].tier].law) * keys_.Uniform();
  arrivals_->Push(NowNs() + static_cast<std::int64_t>(pause_s * 1e9),
                  static_cast<std::uint8_t>(Happening::kUserRetries), NewUser(index, key));
}

void Clients::Leave(UserIndex index) {
  users_[index].free = true;
  free_users_.push_back(index);
}

void Clients::OnRetries(UserIndex index) {
  if (streams_[users_[index].stream].factor > kNobody) return Submit(index);
  Leave(index);  // who meant to come again before demand ended does not
}

RouterId Clients::EntryRouter(RegionId region) {
  const auto pick = [this](RegionId from) {
    const std::vector<RouterId>& here = routers_of_[from];
    if (here.empty()) return RouterId();
    const std::size_t start = choices_.Below(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      const RouterId router = here[(start + i) % here.size()];
      if (routers_.alive(router)) return router;
    }
    return RouterId();
  };
  if (const RouterId router = pick(region); router.valid()) return router;
  for (const RegionId other : nearest_[region]) {
    if (const RouterId router = pick(other); router.valid()) return router;
  }
  return RouterId();
}

// Whoever has a key may come with it from anywhere.
RegionId Clients::RegionOf(const User& user) {
  const bool roams =
      user.key != 0 && scenario_.users.roam_share > 0 && keys_.Chance(scenario_.users.roam_share);
  return roams ? RegionId(keys_.Below(nearest_.size())) : scenario_.demand[user.stream].region;
}

double Clients::ServiceS(const User& user) {
  const DemandSpec& demand = scenario_.demand[user.stream];
  const RecordedJob* recorded = user.recorded;
  if (recorded != nullptr && recorded->service_s >= 0) {
    const auto& law = std::get<TraceArrivals>(demand.law);  // none else has recorded jobs
    return std::min(kServiceMaxS, law.service_factor * recorded->service_s);
  }
  const double drawn_s = DrawServiceS(scenario_.service[demand.tier].law, services_);
  if (recorded == nullptr || recorded->size <= 0) return drawn_s;
  return std::min(kServiceMaxS, drawn_s * recorded->size);
}

Duration Clients::PatienceOf(const User& user) const {
  if (user.recorded == nullptr || user.recorded->deadline_s <= 0) return streams_[user.stream].patience;
  return Seconds(std::min(user.recorded->deadline_s, scenario_.users.patience_s));
}

void Clients::Submit(UserIndex index) {
  User& user = users_[index];
  const DemandSpec& demand = scenario_.demand[user.stream];
  user.serial = ++last_serial_;
  user.submitted = stage_.Now();
  ++user.tries;
  const double service_s = ServiceS(user);
  const Duration patience = PatienceOf(user);
  const RegionId from = RegionOf(user);
  const RouterId entry = EntryRouter(from);
  user.entry = entry;
  const Submission submission{.serial = user.serial,
                              .user = index,
                              .tier = demand.tier,
                              .region = demand.region,
                              .priority = demand.priority,
                              .again = user.tries > 1,
                              .service_s = service_s,
                              .patience = patience,
                              .tenant = TenantOf(user.recorded),
                              .key = user.key,
                              .entry = entry};
  for (Observer* observer : stage_.observers) observer->OnSubmitted(stage_.Now(), submission);
  if (!entry.valid()) return EndFor(index, {.serial = user.serial, .outcome = Outcome::kFailed});

  const RegionId entered = routers_.places()[entry];
  const auto delay = stage_.network.DelayNs(from, entered);
  if (!delay) return EndFor(index, {.serial = user.serial, .outcome = Outcome::kFailed});
  if (!scenario_.users.tell_deadline) {
    stage_.At(stage_.Now() + patience, Happening::kUserGivesUp, index,
              static_cast<std::uint32_t>(user.serial));
  }
  if (scenario_.users.leave_share > 0) ScheduleLeaving(index);
  const Time arrives = stage_.Now() + Nanoseconds(*delay);
  JobNote& note = stage_.SendJob(*delay, entry);
  note.life = routers_.life(entry);
  note.user = index;
  note.caller = {};
  note.payload = {user.serial, std::max<std::int64_t>(1, static_cast<std::int64_t>(service_s * 1e9))};
  const double bad_share = bad_share_[demand.region];
  note.payload.fails = bad_share > 0 && choices_.Chance(bad_share);
  const double large_share = scenario_.users.large_share;
  note.payload.large = large_share > 0 && uploads_.Chance(large_share);
  note.facts = {.tier = demand.tier, .priority = demand.priority, .source = entered, .arrived = arrives};
  if (user.recorded != nullptr) note.facts.cost = CostOf(*user.recorded);
  if (scenario_.users.tell_deadline) note.facts.deadline = arrives + patience;
  if (user.key == 0) return;
  note.facts.keyed = true;
  note.facts.once = std::make_shared<const router::OnceOptions>(
      router::OnceOptions{.key = absl::StrCat("key-", user.key), .fingerprint = user.key});
}

void Clients::OnGivesUp(UserIndex index, std::uint32_t serial_low) {
  // A user has one submission in flight, so the low bits tell it from an earlier one.
  const User& user = users_[index];
  if (static_cast<std::uint32_t>(user.serial) != serial_low) return;
  EndFor(index, {.serial = user.serial, .outcome = Outcome::kTimeout});
}

void Clients::ScheduleLeaving(UserIndex index) {
  if (!leaves_.Chance(scenario_.users.leave_share)) return;
  const double after_s = scenario_.users.leave_after_s * leaves_.Exponential();
  stage_.At(stage_.Now() + Seconds(after_s), Happening::kUserLeaves, index,
            static_cast<std::uint32_t>(users_[index].serial));
}

void Clients::OnLeaves(UserIndex index, std::uint32_t serial_low) {
  const User& user = users_[index];
  if (static_cast<std::uint32_t>(user.serial) != serial_low) return;
  const JobSerial serial = user.serial;
  const RegionId from = scenario_.demand[user.stream].region;
  const auto delay = stage_.network.DelayNs(from, routers_.places()[user.entry]);
  if (delay) {
    stage_.TellRouter(
        *delay, {.router = user.entry, .life = kAnyLife, .event = router::ClientGone{}, .serial = serial});
  }
  EndFor(index, {.serial = serial, .outcome = Outcome::kCancelled});
}

void Clients::OnAnswer(UserIndex user, std::uint32_t detail) { EndFor(user, stage_.to_user.Take(detail)); }

void Clients::EndFor(UserIndex index, const AnswerNote& answer) {
  User& user = users_[index];
  if (user.free || user.serial != answer.serial) return;
  const DemandSpec& demand = scenario_.demand[user.stream];
  const Ending ending{.serial = user.serial,
                      .tier = demand.tier,
                      .region = demand.region,
                      .priority = demand.priority,
                      .outcome = answer.outcome,
                      .done_by = answer.done_by,
                      .served_in = answer.served_in,
                      .latency = stage_.Now() - user.submitted,
                      .wait = answer.wait,
                      .attempts = answer.attempts,
                      .spilled = answer.spilled};
  for (Observer* observer : stage_.observers) observer->OnEnded(stage_.Now(), ending);
  user.serial = 0;  // whatever is still said about this submission comes too late
  const UserSpec& habits = scenario_.users;
  const bool may = user.tries <= habits.resubmit_max && streams_[user.stream].factor > kNobody;
  if (answer.outcome == Outcome::kDone) {
    if (may && user.key != 0 && habits.again_share > 0 && keys_.Chance(habits.again_share)) {
      const double pause_s = habits.again_after_s * keys_.Exponential();
      stage_.After(static_cast<std::int64_t>(pause_s * 1e9), Happening::kUserRetries, index);
      return;
    }
  } else if (may && habits.resubmit_share > 0 && choices_.Chance(habits.resubmit_share)) {
    const double pause_s = habits.resubmit_after_s * choices_.Exponential();
    stage_.After(static_cast<std::int64_t>(pause_s * 1e9), Happening::kUserRetries, index);
    return;
  }
  Leave(index);
}

void Clients::End() const {
  for (const User& user : users_) {
    if (user.free || user.serial == 0) continue;
    const DemandSpec& demand = scenario_.demand[user.stream];
    for (Observer* observer : stage_.observers) {
      observer->OnUnfinished(
          stage_.Now(),
          {.serial = user.serial, .tier = demand.tier, .region = demand.region, .submitted = user.submitted});
    }
  }
}

void Clients::Scale(const RegionSet& regions, double factor) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const RegionId region = scenario_.demand[i].region;
    const bool meant = regions.empty() || std::find(regions.begin(), regions.end(), region) != regions.end();
    if (!meant) continue;
    Stream& stream = streams_[i];
    stream.factor *= factor;
    ++stream.generation;
    stream.arrivals.SetFactor(ToDoubleSeconds(Stage::Date(NowNs()) - UnixEpoch()), stream.factor);
    ScheduleNext(i);
  }
}

}  // namespace ringway::sim
