#include "router/once/once_machine.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router::once {

OnceMachine::OnceMachine(const Settings& settings)
    : settings_(settings), members_(settings.router, settings.bounds.keep), table_(settings.bounds) {
  if (settings.alone) members_.BeAlone();
}

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
    absl::StrAppend(&names, names.empty() ? "" : ", ", members_.NameOf(replica.mark));
  return names;
}

void OnceMachine::Send(const Replica& replica, Request request) {
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
    std::optional<Reply> reply;  // none from a replica that cannot be called
    if (next.replica.mark == members_.self()) reply = Keep(now, next.request);
    if (next.request.ticket != 0) OnReply(now, next.replica, next.request, reply ? &*reply : nullptr);
  }
}

void OnceMachine::Replied(absl::Time now, RouterId from, const Request& request, const Reply* reply) {
  if (reply != nullptr) HearOfViews(now, from, request, *reply);
  if (const auto* pull = std::get_if<PullRequest>(&request.what)) {
    OnPulled(now, from, *pull, reply);
  } else if (const auto* release = std::get_if<ReleaseRequest>(&request.what)) {
    if (reply == nullptr && release->tries < kReleaseTriesMax && releases_.size() < kReleasesMax) {
      ReleaseRequest again = *release;
      ++again.tries;
      releases_.emplace(now + kReleasePause * again.tries, Local{members_.At(from), {.what = again}});
    }
  } else if (request.ticket != 0) {
    OnReply(now, members_.At(from), request, reply);
  }
  FollowView(now);
  RunLocal(now);
}

void OnceMachine::HearOfViews(absl::Time now, RouterId from, const Request& request, const Reply& reply) {
  if (reply.verdict == Verdict::kOldView) {
    for (const KnownView& told : reply.views) members_.Hear(now, told.view);
  }
  // It has not heard of the view that it was asked in: a pull tells it.
  const bool behind = reply.verdict == Verdict::kNotReady && request.view.stated() &&
                      reply.view < members_.id() && !std::holds_alternative<PullRequest>(request.what);
  if (!behind) return;
  const PullRequest pull{.replica = members_.self(), .view = members_.view()};
  Act(SendRequest{from, {.view = members_.id(), .what = pull}});
}

void OnceMachine::OnReply(absl::Time now, Replica replica, const Request& request, const Reply* reply) {
  KeyedRequest* keyed = FindByTicket(request.ticket);
  if (const auto* claim = std::get_if<ClaimRequest>(&request.what)) {
    // Only one replica is asked at a time, so a live claim waits for exactly this reply.
    if (keyed != nullptr && keyed->stage == Stage::kClaiming && keyed->claim == claim->claim) {
      OnClaimReply(now, *keyed, keyed->replicas[keyed->next - 1], *claim, reply);
    } else if (reply == nullptr || reply->verdict == Verdict::kOk) {
      Send(replica, {.what = ReleaseRequest{claim->key, claim->claim}});  // given up meanwhile
    }
  } else if (keyed == nullptr) {
    return;
  } else if (const auto* settle = std::get_if<SettleRequest>(&request.what)) {
    const bool waits = keyed->stage == Stage::kConfirming || keyed->stage == Stage::kSettling;
    const bool same = waits && keyed->found->claim == settle->record.claim && keyed->view == request.view;
    if (same) OnEndReply(now, *keyed, replica, reply);
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
    FollowView(now);
    RunLocal(now);
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
  Reply reply = std::visit(
      [&](const auto& what) -> Reply {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ClaimRequest>) {
          const auto objection = Objection(request.view, what.key);
          return objection ? *objection : table_.Claim(now, what);
        } else if constexpr (std::is_same_v<What, SettleRequest>) {
          const auto objection = Objection(request.view, what.record.key);
          return objection ? *objection : table_.Settle(now, what);
        } else if constexpr (std::is_same_v<What, ReleaseRequest>) {
          return table_.Release(now, what);  // gives up what nobody else can have, in whatever view
        } else if constexpr (std::is_same_v<What, PullRequest>) {
          return OnPullAsked(now, what);
        } else {
          return {Verdict::kNotMine};
        }
      },
      request.what);
  reply.view = members_.id();
  return reply;
}

std::optional<Reply> OnceMachine::Objection(const ViewId& view, const std::string& key) const {
  const ViewId own = members_.id();
  if (view.stated() && view < own) {
    return Reply{.verdict = Verdict::kOldView, .views = {{.view = members_.view()}}};
  }
  if ((view.stated() && view != own) || !members_.Serves(key)) return Reply{Verdict::kNotReady};
  return std::nullopt;
}

Reply OnceMachine::OnPullAsked(absl::Time now, const PullRequest& pull) {
  if (pull.view) {
    members_.Hear(now, pull.view);
    if (pull.view->id < members_.id()) {
      return {.verdict = Verdict::kOldView, .views = {{.view = members_.view()}}};
    }
  }
  const ViewPtr& view = members_.view();
  if (!view || (pull.view && pull.view->id != view->id)) return {Verdict::kNotReady};
  Reply reply = table_.Page(pull.after, [&](const std::string& key) {
    const std::vector<std::uint64_t> replicas = Rank(key, view->marks);
    return std::find(replicas.begin(), replicas.end(), pull.replica) != replicas.end();
  });
  members_.Tell(now, reply);
  return reply;
}

// ---- the other routers ----

void OnceMachine::List(absl::Time now, RouterId router, const std::string& name) {
  members_.List(router, name);
  FollowView(now);
}

void OnceMachine::UseView(absl::Time now, const ViewPtr& view) {
  members_.Use(now, view);
  FollowView(now);
  RunLocal(now);
}

void OnceMachine::FollowView(absl::Time now) {
  for (auto& [router, pull] : members_.DuePulls(now)) {
    Act(SendRequest{router, {.view = members_.id(), .what = std::move(pull)}});
  }
  if (members_.view() == nullptr || !std::exchange(waiting_, false)) return;
  std::vector<std::uint64_t> waiting;
  for (const auto& [ticket, keyed] : requests_) {
    if (keyed.stage == Stage::kWaiting && !keyed.following) waiting.push_back(ticket);
  }
  for (const std::uint64_t ticket : waiting) {
    if (KeyedRequest* keyed = FindByTicket(ticket)) StartClaim(now, *keyed, 1);
  }
}

void OnceMachine::OnPulled(absl::Time now, RouterId from, const PullRequest& request, const Reply* reply) {
  bool all = true;
  if (reply != nullptr) {
    for (const Record& record : reply->records) {
      all = table_.Copy(now, record).verdict != Verdict::kFull && all;
    }
  }
  // What there is no room for has not been read.
  members_.OnPulled(now, from, request, all ? reply : nullptr);
}

void OnceMachine::Wake(absl::Time now) {
  table_.Forget(now);
  FollowView(now);
  RunPauses(now);
  while (!releases_.empty() && releases_.begin()->first <= now) {
    const Local next = std::move(releases_.begin()->second);
    releases_.erase(releases_.begin());
    Send(next.replica, next.request);
  }
  RunLocal(now);
}

absl::Time OnceMachine::NextWake() const {
  absl::Time next = std::min(table_.NextForget(), members_.NextWake());
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first);
  if (!releases_.empty()) next = std::min(next, releases_.begin()->first);
  return next;
}

}  // namespace ringway::router::once
