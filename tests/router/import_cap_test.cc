// What a region takes in of other regions' jobs: never more spilled jobs than its cap, over all its routers
// and whoever sends them, in random histories of several machines that really send jobs to each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "core/rng.h"
#include "tests/router/router_fixture.h"

namespace ringway::router {
namespace {

constexpr std::size_t kJobs = 128;

struct Setting {
  int workers = 5;
  double cap_share = 1;
  double reserve_share = 0;
  std::size_t receivers = 2;
  std::size_t senders = 3;  // in each of the two other regions
  int cap() const { return static_cast<int>(cap_share * workers * (1 - reserve_share) + 1e-9); }
};

// A job at a router, and who asked for it there.
struct Job {
  JobFacts facts;
  bool live = false;
  std::size_t asker = 0;
  JobId asker_job;
  AttemptId attempt = 0;  // 0: a user's
};

// Routers of three regions, each with one worker of its own, and the messages between them.
class Regions {
 public:
  Regions(const Setting& setting, std::uint64_t seed) : setting_(setting), rng_(seed) {
    Fleet fleet = SmallFleet();
    Tier& tier = fleet.tiers[kTier];
    tier.dispatch.spill = {.share = 1, .wait_min = Milliseconds(5), .refused_cost = ZeroDuration()};
    for (TierRegion& region : tier.regions) region.workers = 1;
    tier.regions[kNear] = {.workers = setting.workers,
                           .reserve_share = setting.reserve_share,
                           .import_cap_share = setting.cap_share};
    fleet.world.rtt.Set(kFar, kNear, 15);
    fleet_ = std::make_shared<const Fleet>(std::move(fleet));
    for (std::size_t i = 0; i < setting.receivers; ++i) Add(kNear);
    for (std::size_t i = 0; i < setting.senders; ++i) {
      Add(kHome);
      Add(kFar);
    }
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      for (std::size_t j = 0; j < sites_.size(); ++j) {
        if (i != j) Step(i, RouterListed{RouterId(j), sites_[j].region, Name(j)});
      }
      Step(i, WorkerListed{WorkerId(0), kTier, true});
    }
  }

  // Empty, or what was broken.
  std::string Run(int steps) {
    for (int i = 0; i < steps && broken_.empty(); ++i) {
      now_ += Milliseconds(2 * rng_.Exponential());
      const std::size_t at = rng_.Below(sites_.size());
      const bool planned = sites_[at].region == kNear && rng_.Chance(0.3);
      if (sites_[at].region != kNear) Arrive(at, {.tier = kTier, .arrived = now_, .deadline = Deadline()});
      // What a table sends: counted, and never refused for the cap.
      if (planned) {
        Arrive(at, {.tier = kTier, .forwarded = true, .arrived = now_, .deadline = Deadline()});
      }
      Deliver();
      for (std::size_t s = 0; s < sites_.size(); ++s) {
        if (sites_[s].machine->NextWake() <= now_) Step(s, TimePassed{});
      }
    }
    return broken_;
  }

  // Jobs of other regions that were there at a time, at most.
  int imports_max() const { return imports_max_; }
  int refused() const { return refused_; }
  int kept_home() const { return kept_home_; }

 private:
  struct Site {
    RegionId region;
    std::unique_ptr<RouterMachine> machine;
    std::vector<Job> jobs = std::vector<Job>(kJobs);
  };
  struct Message {
    Time at;
    std::size_t to;
    RouterEvent event;
    Job job;  // of an arrival
  };

  static std::string Name(std::size_t i) { return "router-" + std::to_string(i); }
  Time Deadline() const { return now_ + Seconds(10); }
  void Add(RegionId region) {
    const std::size_t i = sites_.size();
    sites_.emplace_back();
    sites_[i].region = region;
    sites_[i].machine = std::make_unique<RouterMachine>(
        RouterSettings{.home = region, .name = Name(i), .jobs_max = kJobs, .seed = rng_.Next()}, fleet_);
  }

  void Arrive(std::size_t at, const JobFacts& facts, const Job& from = {}) {
    Site& site = sites_[at];
    for (std::size_t j = 0; j < kJobs; ++j) {
      if (site.jobs[j].live) continue;
      site.jobs[j] = from;
      site.jobs[j].facts = facts;
      site.jobs[j].live = true;
      return Step(at, JobArrived{JobId(j), facts});
    }
    if (from.attempt != 0) Answer(from, Outcome::kBusy, false, false);
  }

  void Answer(const Job& job, Outcome outcome, bool import_full, bool started) {
    Post(job.asker, AttemptEnded{.job = job.asker_job,
                                 .attempt = job.attempt,
                                 .router = RouterId(0),
                                 .outcome = outcome,
                                 .answered = true,
                                 .may_have_started = started,
                                 .import_full = import_full});
  }

  void Post(std::size_t to, RouterEvent event, const Job& job = {}) {
    messages_.push_back({now_ + Milliseconds(10 * rng_.Exponential()), to, std::move(event), job});
  }
  void Deliver() {
    for (std::size_t i = 0; i < messages_.size();) {
      if (messages_[i].at > now_) {
        ++i;
        continue;
      }
      const Message message = messages_[i];
      messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::holds_alternative<JobArrived>(message.event)) {
        Arrive(message.to, message.job.facts, message.job);
      } else {
        Step(message.to, message.event);
      }
    }
  }

  void Step(std::size_t at, const RouterEvent& event) {
    std::vector<RouterAction> actions;
    sites_[at].machine->Step(now_, event, actions);
    for (const RouterAction& action : actions) {
      std::visit([&](const auto& a) { Do(at, a); }, action);
    }
    Check();
  }
  template <class Other>
  void Do(std::size_t, const Other&) {}
  void Do(std::size_t at, const OfferToWorker& offer) {
    Post(at, AttemptAccepted{offer.job, offer.attempt});
    messages_.push_back({now_ + Milliseconds(50 + 200 * rng_.Uniform()), at,
                         AttemptEnded{.job = offer.job,
                                      .attempt = offer.attempt,
                                      .worker = offer.worker,
                                      .outcome = Outcome::kDone,
                                      .answered = true},
                         Job{}});
  }
  void Do(std::size_t at, const ForwardToRouter& forward) {
    Job job{.facts = sites_[at].jobs[forward.job.index()].facts,
            .asker = at,
            .asker_job = forward.job,
            .attempt = forward.attempt};
    job.facts.forwarded = true;
    job.facts.spilled = forward.route.reason == kSpillReason;
    Post(forward.router.index(), JobArrived{}, job);
  }
  void Do(std::size_t at, const EndJob& end) {
    Job& job = sites_[at].jobs[end.job.index()];
    job.live = false;
    if (end.import_full && !job.facts.spilled) broken_ = "a job that did not spill is refused for the cap";
    refused_ += end.import_full;
    kept_home_ += end.trace.route.reason == kImportCapReason;
    if (job.attempt != 0) Answer(job, end.outcome, end.import_full, end.outcome == Outcome::kDone);
  }

  void Check() {
    int spilled = 0, parts = 0;
    for (const Site& site : sites_) {
      if (site.region != kNear) continue;
      parts += site.machine->tier(kTier).imports.inside;
      for (const Job& job : site.jobs) spilled += job.live && job.facts.spilled;
    }
    imports_max_ = std::max(imports_max_, parts);
    if (spilled > setting_.cap()) broken_ = "more spilled jobs than the region's cap";
    if (parts < spilled) broken_ = "a job of another region is not counted";
  }

  const Setting setting_;
  Rng rng_;
  std::shared_ptr<const Fleet> fleet_;
  Time now_ = FromUnixSeconds(1000);
  std::vector<Site> sites_;
  std::vector<Message> messages_;
  std::string broken_;
  int imports_max_ = 0;
  int refused_ = 0;
  int kept_home_ = 0;
};

TEST(ImportCap, IsNeverExceededOverAllSendersAndIsUsed) {
  int full = 0, refused = 0, kept_home = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, 5);
    const Setting setting{.workers = 1 + static_cast<int>(rng.Below(9)),
                          .cap_share = rng.Chance(0.3) ? 1 : rng.Uniform(),
                          .reserve_share = rng.Chance(0.5) ? 0 : 0.5 * rng.Uniform(),
                          .receivers = 1 + rng.Below(4),
                          .senders = 1 + rng.Below(3)};
    Regions regions(setting, seed);
    ASSERT_EQ(regions.Run(400), "") << "seed " << seed;
    full += setting.cap() > 0 && regions.imports_max() >= setting.cap();
    refused += regions.refused();
    kept_home += regions.kept_home();
  }
  EXPECT_GE(full, 100) << "of 200 regions, those whose cap was used whole";
  EXPECT_GE(refused, 1000);
  EXPECT_GE(kept_home, 100) << "the trace says why the job stayed";
}

class Receiver : public testing::Test {
 protected:
  static Fleet Capped() {
    Fleet fleet = SmallFleet();
    fleet.tiers[kTier].regions[kHome].import_cap_share = 0.5;  // two of four
    return fleet;
  }
  JobFacts Spilled() const {
    JobFacts facts = t_.Facts();
    facts.forwarded = facts.spilled = true;
    return facts;
  }
  RouterOnTheTable t_{Capped()};
};

TEST_F(Receiver, RefusesBeyondTheCapWithItsOwnReason) {
  t_.ListWorkers(4);
  for (std::size_t job = 0; job < 2; ++job) {
    t_.Arrive(job, Spilled());
    ASSERT_TRUE(t_.Last<OfferToWorker>());
  }
  t_.Arrive(2, Spilled());
  const auto end = t_.Last<EndJob>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->outcome, Outcome::kBusy) << "another router there may still take it";
  EXPECT_TRUE(end->import_full);
  EXPECT_NE(end->message.find("cap"), std::string::npos) << end->message;
  EXPECT_EQ(t_.machine().tier(kTier).imports.refused, 1u);
  // What the table sends is the planner's affair.
  JobFacts planned = Spilled();
  planned.spilled = false;
  t_.Arrive(3, planned);
  EXPECT_TRUE(t_.Last<OfferToWorker>());
  EXPECT_EQ(t_.machine().tier(kTier).imports.inside, 3);
}

TEST_F(Receiver, TakesInAgainWhenOneHasEnded) {
  t_.ListWorkers(4);
  t_.Arrive(0, Spilled());
  const OfferToWorker first = *t_.Last<OfferToWorker>();
  t_.Accept(first);
  t_.Arrive(1, Spilled());
  t_.Finish(first, Outcome::kDone);
  EXPECT_EQ(t_.machine().tier(kTier).imports.inside, 1);
  t_.Arrive(2, Spilled());
  EXPECT_TRUE(t_.Last<OfferToWorker>());
}

TEST_F(Receiver, SharesTheCapWithTheOtherRoutersOfItsRegion) {
  t_.ListWorkers(4);
  t_.ListRouter(7, kHome);
  t_.Arrive(0, Spilled());
  EXPECT_TRUE(t_.Last<OfferToWorker>());
  t_.Arrive(1, Spilled());
  ASSERT_TRUE(t_.Last<EndJob>());
  EXPECT_TRUE(t_.Last<EndJob>()->import_full);
}

}  // namespace
}  // namespace ringway::router
