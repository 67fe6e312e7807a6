// Random lives of a slot, watched by a checker that keeps its own tables from actions alone.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/rng.h"
#include "gtest/gtest.h"
#include "worker/slot.h"

namespace ringway {
namespace {

constexpr int kLives = 2000;
constexpr int kEventsPerLife = 200;

class Life {
 public:
  explicit Life(std::uint64_t seed) : rng_(seed) {}

  void Run() {
    for (int i = 0; i < kEventsPerLife && !::testing::Test::HasFatalFailure(); ++i) {
      now_ += Milliseconds(rng_.Below(800));
      // A shell wakes the slot when it asked for it, before anything later happens.
      if (slot_.NextWake() <= now_) Step(SlotWake{});
      ASSERT_GT(slot_.NextWake(), now_) << "a slot that has just been woken must not ask again";
      Step(Draw());
      CheckView();
    }
  }

 private:
  SlotEvent Draw() {
    const double u = rng_.Uniform();
    // Mostly about the attempt in the slot, sometimes about one long gone.
    const AttemptId about = rng_.Chance(0.85) ? held_ : rng_.Below(last_attempt_ + 1);
    if (u < 0.40) return DrawOffer();
    if (u < 0.55) return SlotPayloadComplete{about};
    if (u < 0.65) return DrawProgress(about);
    if (u < 0.82 && running_ != 0) return DrawFinished();
    if (u < 0.90) return SlotWithdraw{about};
    if (u < 0.93) return SlotDrain{rng_.Chance(0.3)};
    if (u < 0.95) return SlotFenced{.by = DrawLease().fence, .upto = DrawLease(), .revoke = rng_.Chance(0.5)};
    return SlotWake{};
  }

  // Mostly rising over the life, sometimes an old one.
  Lease DrawLease() {
    if (rng_.Chance(0.5)) return {};
    const std::uint64_t epoch = rng_.Below(4);
    return {{epoch, rng_.Below(4)}, rng_.Below(1 + last_attempt_)};
  }

  SlotOffer DrawOffer() {
    SlotOffer offer{.attempt = ++last_attempt_, .lease = "", .grant = DrawLease()};
    if (rng_.Chance(0.3)) offer.deadline = now_ + Milliseconds(rng_.Below(3000));
    return offer;
  }

  SlotProgress DrawProgress(AttemptId about) {
    const auto step = static_cast<std::uint32_t>(rng_.Below(12));
    return {about, step, 10};
  }

  SlotFinished DrawFinished() {
    const double u = rng_.Uniform();
    const Outcome outcome = u < 0.5 ? Outcome::kDone : u < 0.8 ? Outcome::kFailed : Outcome::kCancelled;
    return {running_, outcome};
  }

  void Step(const SlotEvent& event) {
    actions_.clear();
    const auto* offer = std::get_if<SlotOffer>(&event);
    if (offer != nullptr) Object(offer->grant);
    slot_.Step(now_, event, actions_);
    const auto* finished = std::get_if<SlotFinished>(&event);
    if (finished != nullptr && finished->attempt == running_) backend_done_ = true;
    if (const auto* drain = std::get_if<SlotDrain>(&event)) draining_ = drain->drain;
    if (const auto* fenced = std::get_if<SlotFenced>(&event)) Fenced(*fenced);
    int answers = 0;
    for (const SlotAction& action : actions_) {
      std::visit([&](const auto& a) { answers += Check(a, offer); }, action);
    }
    ASSERT_EQ(answers, offer != nullptr ? 1 : 0) << "an offer gets one answer, nothing else gets any";
    if (offer != nullptr && fence_.fence < offer->grant.fence) Claim({offer->grant.fence, 0});
    if (offer != nullptr && held_ == offer->attempt && fence_ < offer->grant) fence_ = proven_ = offer->grant;
  }
  // A claim that nothing ran under is believed for a minute against who is shut out by it.
  void Object(const Lease& lease) {
    const bool shut_out = proven_ < lease && lease <= fence_;
    if (shut_out && now_ >= claimed_at_ + Seconds(60)) fence_ = proven_;
  }
  void Claim(const Lease& lease) {
    if (lease < fence_) return;
    fence_ = lease;
    claimed_at_ = now_;
  }
  void Fenced(const SlotFenced& fenced) {
    if (fenced.by < fence_.fence) Object({fenced.by, std::numeric_limits<std::uint64_t>::max()});
    if (fenced.by < fence_.fence) {
      EXPECT_TRUE(actions_.empty()) << "obeyed a replaced leader";
      return;
    }
    Claim({fenced.by, 0});
    if (fenced.upto.fence <= fenced.by) Claim(fenced.upto);
  }

  int Check(const AdmitAttempt& admit, const SlotOffer* offer) {
    EXPECT_TRUE(offer != nullptr && offer->attempt == admit.attempt);
    EXPECT_EQ(held_, 0u) << "two jobs in one slot";
    EXPECT_FALSE(draining_) << "admitted while draining";
    EXPECT_TRUE(offer->grant == Lease{} || offer->grant > fence_) << "a lease that was over";
    EXPECT_TRUE(offer->grant == Lease{} || leases_.insert(offer->grant).second) << "a lease ran twice";
    EXPECT_GT(offer->deadline, now_);
    held_ = admit.attempt;
    held_since_ = now_;
    return 1;
  }
  int Check(const RefuseAttempt& refuse, const SlotOffer*) {
    EXPECT_GE(refuse.retry_after, ZeroDuration());
    EXPECT_LT(refuse.retry_after, Hours(1));
    const bool busy = refuse.reason == Refusal::kBusy || refuse.reason == Refusal::kDoubleGrant;
    EXPECT_FALSE(busy && held_ == 0) << "busy without a job";
    return 1;
  }
  int Check(const StartJob& start, const SlotOffer*) {
    EXPECT_EQ(start.attempt, held_);
    EXPECT_EQ(running_, 0u) << "started twice";
    running_ = start.attempt;
    return 0;
  }
  int Check(const StopJob& stop, const SlotOffer*) {
    EXPECT_EQ(stop.attempt, running_);
    EXPECT_FALSE(stopped_) << "stopped twice";
    stopped_ = true;
    return 0;
  }
  int Check(const AttemptEnded& ended, const SlotOffer*) {
    EXPECT_EQ(ended.attempt, held_) << "ended what was not admitted, or twice";
    EXPECT_TRUE(running_ == 0 || backend_done_) << "freed under a running backend";
    EXPECT_EQ(ended.held, now_ - held_since_);
    busy_ += ended.held;
    held_ = running_ = 0;
    stopped_ = backend_done_ = false;
    return 0;
  }
  int Check(const StateChanged&, const SlotOffer*) { return 0; }

  void CheckView() {
    const SlotView view = slot_.View(now_);
    ASSERT_EQ(view.busy, held_ != 0);
    ASSERT_EQ(view.attempt, held_);
    ASSERT_EQ(view.draining, draining_);
    ASSERT_EQ(view.fence, fence_);
    ASSERT_EQ(view.busy_total, busy_ + (held_ != 0 ? now_ - held_since_ : ZeroDuration()));
    ASSERT_LE(view.step, view.steps);
    ASSERT_EQ(view.expected_free > ZeroDuration(), view.busy);
    if (view.attempt == shown_attempt_) {
      ASSERT_GE(view.step, shown_step_);
    }
    shown_attempt_ = view.attempt;
    shown_step_ = view.step;
  }

  Rng rng_;
  Time now_ = UnixEpoch();
  Slot slot_{SlotSettings{.service_prior = Seconds(2),
                          .upload_max = Seconds(3),
                          .drain_max = Seconds(4),
                          .failures_before_rest = 2,
                          .rest = Seconds(1)}};
  std::vector<SlotAction> actions_;
  AttemptId last_attempt_ = 0;
  // The checker's tables.
  AttemptId held_ = 0;
  AttemptId running_ = 0;
  bool stopped_ = false;
  bool backend_done_ = false;
  bool draining_ = false;
  Lease fence_;
  Lease proven_;  // by a job that ran
  Time claimed_at_ = InfinitePast();
  std::set<Lease> leases_;
  Time held_since_;
  Duration busy_;
  AttemptId shown_attempt_ = 0;
  std::uint32_t shown_step_ = 0;
};

TEST(SlotPropertyTest, KeepsItsPromisesInRandomLives) {
  for (std::uint64_t seed = 1; seed <= kLives; ++seed) {
    SCOPED_TRACE(seed);
    Life(seed).Run();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ringway
