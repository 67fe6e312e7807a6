#include "router/jobs/job_ending.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ringway::router {
namespace {

std::string InMilliseconds(Duration d) { return absl::FormatDuration(Trunc(d, Milliseconds(1))); }

// "animate in eu-west"
std::string TierHere(const RouterView& view, const JobRecord& job) {
  return absl::StrCat(view.tier_name(job.facts.tier), " in ", view.region_name(view.home));
}

// As the file calls it. A fleet that has changed may not have it any more.
std::string PriorityName(const RouterView& view, const JobRecord& job) {
  const auto& names = view.fleet->tiers[job.facts.tier].priorities;
  const std::size_t priority = job.facts.priority;
  return priority < names.size() ? names[priority] : absl::StrCat("number ", priority);
}

}  // namespace

Ending TooLate(const RouterView& view, const TierState& tier, const JobRecord& job, int broke, Time now) {
  const Duration left = std::max(job.facts.deadline - now, ZeroDuration());
  return {
      .outcome = Outcome::kTimeout,
      .message = absl::StrCat(
          "cannot finish in time: ", InMilliseconds(left), " left, a job of tier ",
          view.tier_name(job.facts.tier), " may take ", InMilliseconds(tier.service.Within(job.facts.cost)),
          "; ", job.attempts, " offers made, ", job.busy, " busy, ",
          view.workers.listed_workers(job.facts.tier), " workers known in ", view.region_name(view.home),
          broke > 0 ? "; the tier's retry budget was spent: too many jobs look for a worker" : ""),
      .retry_after = broke > 0 ? tier.service.mean() : ZeroDuration()};
}

Ending ShedByTable(const RouterView& view, const TierState& tier, const JobRecord& job) {
  return {.outcome = Outcome::kShed,
          .message = absl::StrCat("no reachable capacity for priority ", PriorityName(view, job), " of tier ",
                                  view.tier_name(job.facts.tier),
                                  "; the routing table sheds this share, and no worker in ",
                                  view.region_name(view.home), " is idle"),
          .retry_after = tier.service.mean()};
}

Ending NoneIdleHere(const RouterView& view, const JobRecord& job) {
  return {.outcome = Outcome::kShed,
          .message = absl::StrCat("no worker of tier ", TierHere(view, job), " is idle any more"),
          .counted = false};
}

Ending WithoutSlot(const RouterView& view, const TierState& tier, const JobRecord& job,
                   dispatch::NoSlot why) {
  using dispatch::NoSlot;
  Ending ending{.outcome = Outcome::kShed, .retry_after = tier.service.mean()};
  if (why == NoSlot::kMayNotWait || (why == NoSlot::kLineFull && !tier.may_wait())) {
    ending.message = absl::StrCat("no worker of tier ", TierHere(view, job),
                                  " is free, and its jobs do not wait (waitingMax 0)");
  } else if (why == NoSlot::kLineFull) {
    ending.message = absl::StrCat("the line of tier ", TierHere(view, job), " is full");
  } else if (why == NoSlot::kOffersSpent) {
    ending.message = absl::StrCat("no free worker of tier ", TierHere(view, job), " after ", job.attempts,
                                  " offers (", job.busy, " busy)");
  } else {
    RINGWAY_CHECK(why == NoSlot::kBusyAnswers);
    ending.message = absl::StrCat(job.busy, " offers to free workers of tier ", TierHere(view, job),
                                  " were answered BUSY");
  }
  return ending;
}

Ending LineFull(const RouterView& view, const TierState& tier, const JobRecord& job) {
  return {.outcome = Outcome::kShed,
          .message = absl::StrCat("the line of tier ", view.tier_name(job.facts.tier),
                                  " is full: ", tier.spec.waiting_max, " jobs wait at this router"),
          .retry_after = tier.service.mean()};
}

Ending ImportsFull(const RouterView& view, const TierState& tier, const JobRecord& job) {
  return {.outcome = Outcome::kBusy,
          .message = absl::StrCat(view.region_name(view.home),
                                  " has taken in its cap of other regions' jobs of tier ",
                                  view.tier_name(job.facts.tier), ": ", tier.imports.inside, " of ",
                                  tier.imports.part, " at this router"),
          .retry_after = tier.service.mean()};
}

Ending Unwanted() { return {.outcome = Outcome::kCancelled, .message = "the client left"}; }

Ending Draining(const JobRecord& job) {
  return {.outcome = job.facts.forwarded ? Outcome::kBusy : Outcome::kShed,
          .message = "this router is draining; send the job to another one"};
}

}  // namespace ringway::router
