#include "router/once/once_machine.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router::once {

OnceMachine::OnceMachine(const Settings& settings)
    : settings_(settings), view_(settings.router), table_(settings.bounds), starting_(!settings.alone) {}

KeyedRequest* OnceMachine::FindByTicket(std::uint64_t ticket) {
  const auto found = requests_.find(ticket);
  return found == requests_.end() ? nullptr : &found->second;
}

KeyedRequest* OnceMachine::FindByJob(JobId job) {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : FindByTicket(found->second);
}

KeyedRequest* OnceMachine::FindLeader(const std::string& key) {
  const auto found = leaders_.find(key);
  return found == leaders_.end() ? nullptr : FindByTicket(found->second);
}

std::string OnceMachine::NamesOf(const std::vector<Replica>& replicas) const {
  std::string names;
  for (const Replica& replica : replicas)
    absl::StrAppend(&names, names.empty() ? "" : ", ", view_.NameOf(replica.mark));
  return names;
}

void OnceMachine::Send(absl::Time, const Replica& replica, Request request) {
  if (replica.router.valid()) {
    Act(SendRequest{replica.router, std::move(request)});
  } else {
    local_.push_back({replica, std::move(request)});
  }
}

// What this router asks itself is answered before it returns to the caller. Each is one step of a request,
// and requests have bounded tries, so this ends.
void OnceMachine::RunLocal(absl::Time now) {
  while (!local_.empty()) {
    const Local next = std::move(local_.front());
    local_.pop_front();
    const Reply reply = Keep(now, next.request);
    if (next.request.ticket != 0) OnReply(now, next.replica, next.request, &reply);
  }
}

void OnceMachine::Replied(absl::Time now, RouterId from, const Request& request, const Reply* reply) {
  if (const auto* pull = std::get_if<PullRequest>(&request.what)) {
    OnPulled(now, from, *pull, reply);
  } else if (const auto* release = std::get_if<ReleaseRequest>(&request.what)) {
    if (reply == nullptr && release->tries < kReleaseTriesMax && releases_.size() < kReleasesMax) {
      ReleaseRequest again = *release;
      ++again.tries;
      releases_.emplace(now + kReleasePause * again.tries, Local{view_.At(from), {.what = again}});
    }
  } else if (request.ticket != 0) {
    OnReply(now, view_.At(from), request, reply);
  }
  RunLocal(now);
}

void OnceMachine::OnReply(absl::Time now, Replica replica, const Request& request, const Reply* reply) {
  KeyedRequest* keyed = FindByTicket(request.ticket);
  if (const auto* claim = std::get_if<ClaimRequest>(&request.what)) {
    // Only one replica is asked at a time, so a live claim waits for exactly this reply.
    if (keyed != nullptr && keyed->stage == Stage::kClaiming && keyed->claim == claim->claim) {
      OnClaimReply(now, *keyed, keyed->replicas[keyed->next - 1], *claim, reply);
    } else if (reply == nullptr || reply->verdict == Verdict::kOk) {
      Send(now, replica, {.what = ReleaseRequest{claim->key, claim->claim}});  // given up meanwhile
    }
  } else if (keyed == nullptr) {
    return;
  } else if (const auto* settle = std::get_if<SettleRequest>(&request.what)) {
    const bool waits = keyed->stage == Stage::kConfirming || keyed->stage == Stage::kSettling;
    if (waits && keyed->found->claim == settle->record.claim) OnEndReply(now, *keyed, replica, reply);
  } else if (const auto* attach = std::get_if<AttachRequest>(&request.what)) {
    const bool waits = keyed->stage == Stage::kAttached && keyed->found->claim == attach->claim;
    if (waits) OnAttachReply(now, *keyed, *attach, reply);
  }
}

void OnceMachine::Asked(absl::Time now, CallId call, const Request& request) {
  if (const auto* attach = std::get_if<AttachRequest>(&request.what)) {
    OnAttachAsked(now, call, *attach);
  } else {
    Act(AnswerCall{call, Keep(now, request)});
  }
}

void OnceMachine::OnAttachAsked(absl::Time, CallId call, const AttachRequest& request) {
  KeyedRequest* keyed = FindLeader(request.key);
  const bool alive = keyed != nullptr && keyed->claim == request.claim;
  if (alive && keyed->callers.size() < settings_.callers_max) {
    keyed->callers.push_back(call);
  } else {
    Act(AnswerCall{call, {alive ? Verdict::kFull : Verdict::kNotMine}});
  }
}

// ---- as a replica ----

Reply OnceMachine::Keep(absl::Time now, const Request& request) {
  table_.Forget(now);
  return std::visit(
      [&](const auto& what) -> Reply {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ClaimRequest>) {
          if (starting_) return {Verdict::kNotReady};
          return table_.Claim(now, what);
        } else if constexpr (std::is_same_v<What, SettleRequest>) {
          return table_.Settle(now, what);
        } else if constexpr (std::is_same_v<What, ReleaseRequest>) {
          return table_.Release(now, what);
        } else if constexpr (std::is_same_v<What, PullRequest>) {
          return table_.Page(what.after, [&](const std::string& key) {
            const std::vector<Replica> ranked = view_.Rank(key, what.replica);
            return std::any_of(ranked.begin(), ranked.end(),
                               [&](const Replica& k) { return k.mark == what.replica; });
          });
        } else if constexpr (std::is_same_v<What, CopyRequest>) {
          return table_.Copy(now, what.record);
        } else {
          return {Verdict::kNotMine};
        }
      },
      request.what);
}

// ---- the other routers ----

void OnceMachine::List(RouterId router, const std::string& name) {
  if (view_.At(router).mark == StableHash(name)) return;
  view_.List(router, name);
  if (!starting_) return;
  pulls_.push_back({.from = router, .after = "", .again = absl::InfinitePast()});
}

void OnceMachine::ViewComplete(absl::Time now) {
  view_complete_ = true;
  RunPulls(now);
  StartAll(now);
  RunLocal(now);
}

void OnceMachine::RunPulls(absl::Time now) {
  for (Pull& pull : pulls_) {
    if (pull.again > now) continue;
    pull.again = absl::InfiniteFuture();
    Act(SendRequest{pull.from, {.what = PullRequest{.replica = view_.self(), .after = pull.after}}});
  }
}

void OnceMachine::OnPulled(absl::Time now, RouterId from, const PullRequest& request, const Reply* reply) {
  const auto at = std::find_if(pulls_.begin(), pulls_.end(), [&](const Pull& p) { return p.from == from; });
  if (at == pulls_.end() || at->after != request.after) return;
  if (reply == nullptr) {
    at->again = now + kPullPause;
    if (++at->tries >= kPullTriesMax) pulls_.erase(at);
  } else {
    for (const Record& record : reply->records) (void)table_.Copy(now, record);
    if (reply->more && reply->cursor > request.after) {
      at->after = reply->cursor;
      at->again = now;
      RunPulls(now);
    } else {
      pulls_.erase(at);
    }
  }
  StartAll(now);
}

void OnceMachine::StartAll(absl::Time now) {
  if (!starting_ || !view_complete_ || !pulls_.empty()) return;
  starting_ = false;
  std::vector<std::uint64_t> waiting;
  for (const auto& [ticket, keyed] : requests_) {
    if (keyed.stage == Stage::kWaiting && !keyed.following) waiting.push_back(ticket);
  }
  for (const std::uint64_t ticket : waiting) {
    if (KeyedRequest* keyed = FindByTicket(ticket)) StartClaim(now, *keyed, 1);
  }
}

void OnceMachine::Unlist(absl::Time now, RouterId router) {
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
void OnceMachine::Repair(absl::Time now) {
  for (std::size_t i = 0; i < kRepairBatch; ++i) {
    const Record* record = table_.Next(repaired_);
    if (record == nullptr) {
      left_.clear();
      repair_at_ = absl::InfiniteFuture();
      return;
    }
    repaired_ = record->key;
    for (const std::uint64_t mark : left_) {
      const std::vector<Replica> before = view_.Rank(record->key, mark);
      const auto kept = [&](std::uint64_t m) {
        return std::any_of(before.begin(), before.end(), [&](const Replica& k) { return k.mark == m; });
      };
      if (!kept(mark)) continue;
      for (const Replica& replica : view_.Rank(record->key)) {
        if (replica.router.valid() && !kept(replica.mark)) Send(now, replica, {.what = CopyRequest{*record}});
      }
    }
  }
  repair_at_ = now + kRepairPause;
}

void OnceMachine::Wake(absl::Time now) {
  table_.Forget(now);
  if (repair_at_ <= now) Repair(now);
  RunPulls(now);
  RunPauses(now);
  while (!releases_.empty() && releases_.begin()->first <= now) {
    const Local next = std::move(releases_.begin()->second);
    releases_.erase(releases_.begin());
    Send(now, next.replica, next.request);
  }
  RunLocal(now);
}

absl::Time OnceMachine::NextWake() const {
  absl::Time next = std::min(table_.NextForget(), repair_at_);
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first);
  if (!releases_.empty()) next = std::min(next, releases_.begin()->first);
  for (const Pull& pull : pulls_) next = std::min(next, pull.again);
  return next;
}

}  // namespace ringway::router::once
