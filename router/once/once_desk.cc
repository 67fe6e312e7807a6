#include "router/once/once_desk.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router::once {

OnceDesk::OnceDesk(const Settings& settings)
    : settings_(settings), view_(settings.router), book_(settings.book), starting_(!settings.alone) {}

Course* OnceDesk::FindByTicket(std::uint64_t ticket) {
  const auto found = courses_.find(ticket);
  return found == courses_.end() ? nullptr : &found->second;
}

Course* OnceDesk::FindByJob(JobId job) {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : FindByTicket(found->second);
}

Course* OnceDesk::FindLeader(const std::string& key) {
  const auto found = leaders_.find(key);
  return found == leaders_.end() ? nullptr : FindByTicket(found->second);
}

std::string OnceDesk::NamesOf(const std::vector<Keeper>& keepers) const {
  std::string names;
  for (const Keeper& keeper : keepers)
    absl::StrAppend(&names, names.empty() ? "" : ", ", view_.NameOf(keeper.mark));
  return names;
}

void OnceDesk::Send(absl::Time, const Keeper& keeper, Ask ask) {
  if (keeper.router.valid()) {
    Act(SendAsk{keeper.router, std::move(ask)});
  } else {
    local_.push_back({keeper, std::move(ask)});
  }
}

// What this router asks itself is answered before it returns to the caller. Each ask is one step of a course,
// and courses have bounded tries, so this ends.
void OnceDesk::RunLocal(absl::Time now) {
  while (!local_.empty()) {
    const Local next = std::move(local_.front());
    local_.pop_front();
    const Reply reply = Keep(now, next.ask);
    if (next.ask.ticket != 0) OnReply(now, next.keeper, next.ask, &reply);
  }
}

void OnceDesk::Replied(absl::Time now, RouterId from, const Ask& ask, const Reply* reply) {
  if (const auto* pull = std::get_if<PullAsk>(&ask.what)) {
    OnPulled(now, from, *pull, reply);
  } else if (const auto* release = std::get_if<ReleaseAsk>(&ask.what)) {
    if (reply == nullptr && release->tries < kReleaseTriesMax && releases_.size() < kReleasesMax) {
      ReleaseAsk again = *release;
      ++again.tries;
      releases_.emplace(now + kReleasePause * again.tries, Local{view_.At(from), {.what = again}});
    }
  } else if (ask.ticket != 0) {
    OnReply(now, view_.At(from), ask, reply);
  }
  RunLocal(now);
}

void OnceDesk::OnReply(absl::Time now, Keeper keeper, const Ask& ask, const Reply* reply) {
  Course* course = FindByTicket(ask.ticket);
  if (const auto* claim = std::get_if<ClaimAsk>(&ask.what)) {
    // Only one keeper is asked at a time, so a live claim waits for exactly this reply.
    if (course != nullptr && course->stage == Stage::kClaiming && course->claim == claim->claim) {
      OnClaimReply(now, *course, course->keepers[course->next - 1], *claim, reply);
    } else if (reply == nullptr || reply->verdict == Verdict::kOk) {
      Send(now, keeper, {.what = ReleaseAsk{claim->key, claim->claim}});  // given up meanwhile
    }
  } else if (course == nullptr) {
    return;
  } else if (const auto* settle = std::get_if<SettleAsk>(&ask.what)) {
    const bool waits = course->stage == Stage::kConfirming || course->stage == Stage::kSettling;
    if (waits && course->found->claim == settle->record.claim) OnEndReply(now, *course, keeper, reply);
  } else if (const auto* attach = std::get_if<AttachAsk>(&ask.what)) {
    const bool waits = course->stage == Stage::kAttached && course->found->claim == attach->claim;
    if (waits) OnAttachReply(now, *course, *attach, reply);
  }
}

void OnceDesk::Asked(absl::Time now, CallId call, const Ask& ask) {
  if (const auto* attach = std::get_if<AttachAsk>(&ask.what)) {
    OnAttachAsked(now, call, *attach);
  } else {
    Act(AnswerCall{call, Keep(now, ask)});
  }
}

void OnceDesk::OnAttachAsked(absl::Time, CallId call, const AttachAsk& ask) {
  Course* course = FindLeader(ask.key);
  const bool alive = course != nullptr && course->claim == ask.claim;
  if (alive && course->callers.size() < settings_.callers_max) {
    course->callers.push_back(call);
  } else {
    Act(AnswerCall{call, {alive ? Verdict::kFull : Verdict::kNotMine}});
  }
}

// ---- as a keeper ----

Reply OnceDesk::Keep(absl::Time now, const Ask& ask) {
  book_.Forget(now);
  return std::visit(
      [&](const auto& what) -> Reply {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ClaimAsk>) {
          if (starting_) return {Verdict::kNotReady};
          return book_.Claim(now, what);
        } else if constexpr (std::is_same_v<What, SettleAsk>) {
          return book_.Settle(now, what);
        } else if constexpr (std::is_same_v<What, ReleaseAsk>) {
          return book_.Release(now, what);
        } else if constexpr (std::is_same_v<What, PullAsk>) {
          return book_.Page(what.after, [&](const std::string& key) {
            const std::vector<Keeper> ranked = view_.Rank(key, what.keeper);
            return std::any_of(ranked.begin(), ranked.end(),
                               [&](const Keeper& k) { return k.mark == what.keeper; });
          });
        } else if constexpr (std::is_same_v<What, CopyAsk>) {
          return book_.Copy(now, what.record);
        } else {
          return {Verdict::kNotMine};
        }
      },
      ask.what);
}

// ---- the other routers ----

void OnceDesk::List(RouterId router, const std::string& name) {
  if (view_.At(router).mark == StableHash(name)) return;
  view_.List(router, name);
  if (!starting_) return;
  pulls_.push_back({.from = router, .after = "", .again = absl::InfinitePast()});
}

void OnceDesk::ViewComplete(absl::Time now) {
  view_complete_ = true;
  RunPulls(now);
  StartAll(now);
  RunLocal(now);
}

void OnceDesk::RunPulls(absl::Time now) {
  for (Pull& pull : pulls_) {
    if (pull.again > now) continue;
    pull.again = absl::InfiniteFuture();
    Act(SendAsk{pull.from, {.what = PullAsk{.keeper = view_.self(), .after = pull.after}}});
  }
}

void OnceDesk::OnPulled(absl::Time now, RouterId from, const PullAsk& ask, const Reply* reply) {
  const auto at = std::find_if(pulls_.begin(), pulls_.end(), [&](const Pull& p) { return p.from == from; });
  if (at == pulls_.end() || at->after != ask.after) return;
  if (reply == nullptr) {
    at->again = now + kPullPause;
    if (++at->tries >= kPullTriesMax) pulls_.erase(at);
  } else {
    for (const Record& record : reply->records) (void)book_.Copy(now, record);
    if (reply->more && reply->cursor > ask.after) {
      at->after = reply->cursor;
      at->again = now;
      RunPulls(now);
    } else {
      pulls_.erase(at);
    }
  }
  StartAll(now);
}

void OnceDesk::StartAll(absl::Time now) {
  if (!starting_ || !view_complete_ || !pulls_.empty()) return;
  starting_ = false;
  std::vector<std::uint64_t> waiting;
  for (const auto& [ticket, course] : courses_) {
    if (course.stage == Stage::kWaiting && !course.following) waiting.push_back(ticket);
  }
  for (const std::uint64_t ticket : waiting) {
    if (Course* course = FindByTicket(ticket)) StartClaim(now, *course, 1);
  }
}

void OnceDesk::Unlist(absl::Time now, RouterId router) {
  const std::uint64_t mark = view_.Unlist(router);
  std::erase_if(pulls_, [&](const Pull& p) { return p.from == router; });
  StartAll(now);
  if (mark == 0) return;
  if (left_.size() >= kLeftMax) left_.erase(left_.begin());
  left_.push_back(mark);
  repaired_.clear();
  repair_at_ = now;
}

// For each key that a router which left has kept, the next in rank gets a copy, a few keys at a time.
void OnceDesk::Repair(absl::Time now) {
  for (std::size_t i = 0; i < kRepairBatch; ++i) {
    const Record* record = book_.Next(repaired_);
    if (record == nullptr) {
      left_.clear();
      repair_at_ = absl::InfiniteFuture();
      return;
    }
    repaired_ = record->key;
    for (const std::uint64_t mark : left_) {
      const std::vector<Keeper> before = view_.Rank(record->key, mark);
      const auto kept = [&](std::uint64_t m) {
        return std::any_of(before.begin(), before.end(), [&](const Keeper& k) { return k.mark == m; });
      };
      if (!kept(mark)) continue;
      for (const Keeper& keeper : view_.Rank(record->key)) {
        if (keeper.router.valid() && !kept(keeper.mark)) Send(now, keeper, {.what = CopyAsk{*record}});
      }
    }
  }
  repair_at_ = now + kRepairPause;
}

void OnceDesk::Wake(absl::Time now) {
  book_.Forget(now);
  if (repair_at_ <= now) Repair(now);
  RunPulls(now);
  RunPauses(now);
  while (!releases_.empty() && releases_.begin()->first <= now) {
    const Local next = std::move(releases_.begin()->second);
    releases_.erase(releases_.begin());
    Send(now, next.keeper, next.ask);
  }
  RunLocal(now);
}

absl::Time OnceDesk::NextWake() const {
  absl::Time next = std::min(book_.NextForget(), repair_at_);
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first);
  if (!releases_.empty()) next = std::min(next, releases_.begin()->first);
  for (const Pull& pull : pulls_) next = std::min(next, pull.again);
  return next;
}

}  // namespace ringway::router::once
