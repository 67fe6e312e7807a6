#include "sim/observers/checkers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::sim {
namespace {

// Until a router that starts has learnt again what it kept.
constexpr Duration kLearning = Seconds(5);

double Second(Time at) { return ToDoubleSeconds(at - UnixEpoch()); }

}  // namespace

Checkers::Checkers(std::size_t workers, std::size_t routers) : workers_(workers), versions_(routers) {}

void Checkers::RanBackwards(Time now) { Violate(now, "time ran backwards"); }

void Checkers::Violate(Time now, std::string what) {
  if (violations_.size() >= kViolationsMax) return;
  std::string text = absl::StrFormat("at %.6f s: %s\n  last events:", Second(now), what);
  const std::uint64_t oldest = remembered_ > kLastEvents ? remembered_ - kLastEvents : 0;
  for (std::uint64_t i = oldest; i < remembered_; ++i) {
    const Event& event = recent_[i % kLastEvents];
    absl::StrAppendFormat(&text, "\n    %.6f %s %d %d", Second(event.at), event.what, event.a, event.b);
  }
  violations_.push_back(std::move(text));
}

void Checkers::ForgetIfOver(JobSerial serial, const JobEntry& entry) {
  // The router does not know yet of a client that has left: its job may still be started, and recorded.
  if (entry.ended && entry.running == 0 && !entry.left) jobs_.Erase(serial);
}

void Checkers::OnSubmitted(Time now, const Submission& submission) {
  Remember(now, "submitted job, user", submission.serial, submission.user);
  ++submitted_;
  ++open_;
  if (jobs_.Find(submission.serial) != nullptr) {
    Violate(now, absl::StrCat("job ", submission.serial, " was submitted twice"));
    return;
  }
  jobs_.Add(submission.serial) = {.submitted = now, .key = submission.key, .entry = submission.entry};
  if (submission.key != 0)
    keys_.try_emplace(submission.key, KeyEntry{.first = now, .delivered = 0, .finished = {}, .runs = {}});
}

void Checkers::OnEnded(Time now, const Ending& ending) {
  Remember(now, "ended job, outcome", ending.serial, static_cast<std::uint64_t>(ending.outcome));
  ++ended_;
  JobEntry* const found = jobs_.Find(ending.serial);
  if (found == nullptr || found->ended) {
    Violate(now, absl::StrCat("job ", ending.serial, " ended twice, or was never submitted"));
    return;
  }
  JobEntry& entry = *found;
  --open_;
  entry.ended = true;
  if (now < entry.submitted)
    Violate(now, absl::StrCat("job ", ending.serial, " ended before it was submitted"));
  if (ending.outcome == Outcome::kDone) CheckDone(now, ending, entry);
  entry.left = entry.key != 0 && ending.outcome == Outcome::kCancelled;
  ForgetIfOver(ending.serial, entry);
}

bool Checkers::Forgiven(const KeyEntry& key) const {
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = losses_[i].router != losses_[j].router && losses_[i].died < losses_[j].learnt;
      if (together && std::min(losses_[i].learnt, losses_[j].learnt) >= key.first) return true;
    }
  }
  return false;
}

void Checkers::CheckDone(Time now, const Ending& ending, const JobEntry& entry) {
  const JobSerial by = ending.done_by != 0 ? ending.done_by : ending.serial;
  if (by == ending.serial && entry.finished == 0) {
    Violate(now, absl::StrCat("job ", ending.serial, " is called done, but no worker finished it"));
  }
  if (entry.key == 0) {
    if (by != ending.serial) Violate(now, absl::StrCat("job ", ending.serial, " was answered with job ", by));
    return;
  }
  KeyEntry& key = keys_[entry.key];
  if (std::find(key.finished.begin(), key.finished.end(), by) == key.finished.end()) {
    Violate(now, absl::StrCat("job ", ending.serial, " was answered with job ", by, " of key ", entry.key,
                              ", which no worker finished"));
  }
  if (key.delivered != 0 && key.delivered != by && !Forgiven(key)) {
    Violate(now, absl::StrCat("two completions of key ", entry.key, " were delivered: of job ", key.delivered,
                              " and of job ", by));
  }
  key.delivered = by;
}

void Checkers::OnGranted(Time now, WorkerId worker, const Lease& lease) {
  Remember(now, "granted worker, lease", worker.value(), lease.serial);
  WorkerEntry& entry = workers_[worker];
  if (lease == entry.granted) return;  // said again
  // Of a leader that was stopped while another was appointed, and has not heard of it yet: void. That no
  // worker starts it, CheckLease sees.
  if (lease.fence < entry.granted.fence) return;
  if (lease < entry.granted) {
    Violate(now, absl::StrCat("leases of worker ", worker.value(), " went back: ", FormatLease(lease),
                              " after ", FormatLease(entry.granted)));
  }
  if (entry.leased) {
    Violate(now, absl::StrCat("worker ", worker.value(), " runs lease ", FormatLease(entry.started), " and ",
                              FormatLease(lease), " was granted: two living leases"));
  }
  entry.granted = lease;
}

void Checkers::OnClaimAsked(Time now, RouterId of, const router::once::ClaimId& claim) {
  if (++claim_asks_[{claim.owner, claim.life, claim.serial, of}] != kClaimAsksMax + 1) return;
  Violate(now, absl::StrCat("router ", of.value(), " was asked more than ", kClaimAsksMax,
                            " times to record one claim"));
}

void Checkers::CheckLease(Time now, WorkerId worker, const Lease& lease) {
  WorkerEntry& entry = workers_[worker];
  entry.leased = lease != Lease{};
  if (!entry.leased) return;
  if (lease > entry.granted) {
    Violate(now, absl::StrCat("worker ", worker.value(), " started lease ", FormatLease(lease),
                              ", which nobody granted"));
  }
  if (lease <= entry.started) {
    Violate(now, absl::StrCat("worker ", worker.value(), " started lease ", FormatLease(lease), " after ",
                              FormatLease(entry.started)));
  }
  entry.started = lease;
}

void Checkers::OnStarted(Time now, WorkerId worker, const OfferNote& note) {
  const JobSerial serial = note.payload.serial;
  Remember(now, "started at worker, job", worker.value(), serial);
  CheckLease(now, worker, note.lease);
  JobSerial& running = workers_[worker].running;
  if (running != 0) {
    Violate(now, absl::StrCat("worker ", worker.value(), " runs job ", running, " and was given job ", serial,
                              ": a slot was granted twice"));
  }
  running = serial;
  JobEntry* const found = jobs_.Find(serial);
  if (found == nullptr) return;  // the user has been told already; the worker hears of it later
  // With a key it is sent again when its router or worker died; the first may not have reached its next step.
  if (++found->running > 1 && found->key == 0)
    Violate(now, absl::StrCat("job ", serial, " runs at two workers at once"));
  if (found->key != 0) CheckAlone(now, worker, note, *found);
}

void Checkers::OnJobCancelled(Time now, JobSerial serial) { Remember(now, "cancelled job", serial, 0); }

void Checkers::OnStreamBroke(Time now, JobSerial serial) {
  Remember(now, "broke stream of job", serial, 0);
  if (JobEntry* const found = jobs_.Find(serial)) found->adrift = true;
}

bool Checkers::Orphaned(const KeyedRun& run) {
  const JobEntry* const job = jobs_.Find(run.serial);
  if (job != nullptr && job->adrift) return true;
  return std::any_of(losses_.begin(), losses_.end(), [&](const Loss& loss) {
    if (loss.died < run.began) return false;
    if (loss.router == run.entry) return loss.learnt != InfiniteFuture();
    return loss.router == run.router;
  });
}

void Checkers::CheckAlone(Time now, WorkerId worker, const OfferNote& note, const JobEntry& entry) {
  KeyEntry& key = keys_[entry.key];
  for (const KeyedRun& run : key.runs) {
    if (run.serial == note.payload.serial || now >= run.deadline || entry.adrift || Orphaned(run) ||
        Forgiven(key))
      continue;
    Violate(now,
            absl::StrCat("worker ", worker.value(), " was given job ", note.payload.serial, " while worker ",
                         run.worker.value(), " runs job ", run.serial, " of the same key ", entry.key));
  }
  key.runs.push_back({worker, note.payload.serial, entry.entry, note.caller.router, now, note.deadline});
}

void Checkers::EndKeyedRun(WorkerId worker, const JobEntry& entry) {
  if (entry.key == 0) return;
  std::erase_if(keys_[entry.key].runs, [worker](const KeyedRun& run) { return run.worker == worker; });
}

void Checkers::OnFreed(Time now, WorkerId worker, const OfferNote& note, bool finished) {
  const JobSerial serial = note.payload.serial;
  Remember(now, finished ? "finished at worker, job" : "freed worker, job", worker.value(), serial);
  WorkerEntry& there = workers_[worker];
  if (there.running == 0) return;  // admitted, never started
  there.leased = false;
  if (there.running != serial) {
    Violate(now,
            absl::StrCat("worker ", worker.value(), " ran job ", there.running, " and freed job ", serial));
  }
  there.running = 0;
  JobEntry* const found = jobs_.Find(serial);
  if (found == nullptr) return;
  JobEntry& entry = *found;
  if (entry.running == 0)
    Violate(now, absl::StrCat("job ", serial, " ended at a worker that did not run it"));
  entry.running -= entry.running > 0;
  EndKeyedRun(worker, entry);
  if (finished && ++entry.finished > 1 && entry.key == 0) {
    Violate(now, absl::StrCat("job ", serial, " was executed twice"));
  }
  if (finished && entry.key != 0) keys_[entry.key].finished.push_back(serial);
  ForgetIfOver(serial, entry);
}

void Checkers::OnWorkerDied(Time now, WorkerId worker) {
  WorkerEntry& there = workers_[worker];
  Remember(now, "died worker, job", worker.value(), there.running);
  there.leased = false;
  const JobSerial serial = std::exchange(there.running, 0);
  JobEntry* const found = jobs_.Find(serial);
  if (serial == 0 || found == nullptr) return;
  found->running -= found->running > 0;
  EndKeyedRun(worker, *found);
  ForgetIfOver(serial, *found);
}

void Checkers::OnRouterDied(Time now, RouterId router) {
  Remember(now, "died router", router.value(), 0);
  losses_.push_back({.router = router, .died = now});
}

void Checkers::OnRouterStarted(Time now, RouterId router) {
  Remember(now, "started router", router.value(), 0);
  for (auto loss = losses_.rbegin(); loss != losses_.rend(); ++loss) {
    if (loss->router != router) continue;
    loss->learnt = now + kLearning;
    break;
  }
}

// One that nobody it has to read can hear goes on without its records.
void Checkers::OnRouterReading(Time now, RouterId router) {
  const auto loss = std::find_if(losses_.rbegin(), losses_.rend(),
                                 [&](const Loss& candidate) { return candidate.router == router; });
  const bool since_its_start =
      loss != losses_.rend() && loss->learnt != InfiniteFuture() && now <= loss->learnt;
  if (since_its_start) loss->learnt = now + kLearning;
}

void Checkers::OnPartition(Time now, bool begins) { Remember(now, begins ? "cut" : "healed", 0, 0); }

void Checkers::OnTableActive(Time now, RouterId router, const RoutingTable& table) {
  Remember(now, "table at router, version", router.value(), table.version.version);
  if (table.version < versions_[router]) Violate(now, "a router went back to an older table");
  versions_[router] = table.version;
  CheckRows(now, table);
}

// Within a life tables are newer and newer; from an old disk nobody can know better.
void Checkers::OnOldDisk(Time now, RouterId router) {
  Remember(now, "old disk of router", router.value(), 0);
  versions_[router] = {};
}

void Checkers::OnTablePublished(Time now, const RoutingTable& table) {
  Remember(now, "table published, version", table.version.epoch, table.version.version);
  CheckRows(now, table);
}

void Checkers::CheckRows(Time now, const RoutingTable& table) {
  for (const TierTable& tier : table.tiers) {
    for (std::size_t p = 0; p < tier.priorities(); ++p) {
      for (std::size_t r = 0; r < tier.regions(); ++r) {
        const Row& row = tier.at(static_cast<Priority>(p), RegionId(r));
        double sum = row.shed_fraction;
        bool sound = row.shed_fraction >= 0 && row.shed_fraction <= 1 + 1e-9;
        for (const Route& route : row.routes) {
          sum += route.fraction;
          sound = sound && route.fraction >= 0 && route.fraction <= 1 + 1e-9 &&
                  route.target.index() < tier.regions();
        }
        if (!sound || !(std::abs(sum - 1) < 1e-6)) {
          Violate(now, absl::StrCat("row of region ", r, ", priority ", p, " is broken: it sums to ", sum));
        }
      }
    }
  }
}

void Checkers::OnSecond(Time now) {
  if (submitted_ != ended_ + open_) {
    Violate(now, absl::StrCat(submitted_, " submitted, ", ended_, " ended, ", open_,
                              " open: jobs were lost or made"));
  }
}

void Checkers::CheckDrained(Time now) {
  if (open_ != 0) Violate(now, absl::StrCat(open_, " jobs never ended"));
}

}  // namespace ringway::sim
