#include "router/once/once_machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::router::once {

OnceMachine::OnceMachine(const Settings& settings)
    : settings_(settings), members_(settings.router, settings.bounds.keep), replica_(settings.bounds) {
  if (settings.alone) members_.BeAlone();
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
void OnceMachine::RunLocal(Time now) {
  while (!local_.empty()) {
    const Local next = std::move(local_.front());
    local_.pop_front();
    std::optional<Reply> reply;  // none from a replica that cannot be called
    if (next.replica.mark == members_.self()) reply = replica_.Answer(now, members_, next.request);
    if (next.request.ticket != 0) OnReply(now, next.replica, next.request, reply ? &*reply : nullptr);
  }
}

void OnceMachine::Replied(Time now, RouterId from, const Request& request, const Reply* reply) {
  if (reply != nullptr) HearOfViews(now, from, request, *reply);
  if (const auto* pull = std::get_if<PullRequest>(&request.what)) {
    // What there is no room for has not been read.
    const bool all = reply == nullptr || replica_.Copy(now, *reply);
    members_.OnPulled(now, from, *pull, all ? reply : nullptr);
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

void OnceMachine::HearOfViews(Time now, RouterId from, const Request& request, const Reply& reply) {
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

void OnceMachine::OnReply(Time now, Replica replica, const Request& request, const Reply* reply) {
  KeyedRequest* keyed = requests_.ByTicket(request.ticket);
  if (const auto* claim = std::get_if<ClaimRequest>(&request.what)) {
    // Only one replica is asked at a time, so a live claim waits for exactly this reply.
    if (keyed != nullptr && keyed->stage == Stage::kClaiming && keyed->claim == claim->claim) {
      const Replica asked = keyed->awaited.replica;
      OnClaimReply(now, *keyed, asked, *claim, reply);
    } else if (reply == nullptr || reply->verdict == Verdict::kOk) {
      Send(replica, {.what = ReleaseRequest{claim->key, claim->claim}});  // given up meanwhile
    }
  } else if (keyed == nullptr) {
    return;
  } else if (const auto* settle = std::get_if<SettleRequest>(&request.what)) {
    const bool waits = keyed->stage == Stage::kConfirming || keyed->stage == Stage::kSettling;
    // Every claim confirms anew: a late reply to an earlier one would count its replica twice.
    const bool same = waits && keyed->claim == settle->record.claim && keyed->view == request.view;
    if (same) OnEndReply(now, *keyed, reply);
  } else if (const auto* attach = std::get_if<AttachRequest>(&request.what)) {
    const bool waits = keyed->stage == Stage::kAttached && keyed->found->claim == attach->claim;
    if (waits) OnAttachReply(now, *keyed, *attach, reply);
  }
}

void OnceMachine::Asked(Time now, CallId call, const Request& request) {
  const auto* attach = std::get_if<AttachRequest>(&request.what);
  if (attach == nullptr) {
    Act(AnswerCall{call, replica_.Answer(now, members_, request)});
    FollowView(now);
    RunLocal(now);
    return;
  }
  KeyedRequest* keyed = requests_.LeaderOf(attach->key);
  const bool alive = keyed != nullptr && keyed->claim == attach->claim;
  if (alive && keyed->callers.size() < settings_.callers_max) {
    keyed->callers.push_back(call);
  } else {
    Act(AnswerCall{call, {alive ? Verdict::kFull : Verdict::kNotMine}});
  }
}

// ---- the other routers ----

void OnceMachine::List(Time now, RouterId router, const std::string& name) {
  members_.List(router, name);
  FollowView(now);
}

void OnceMachine::UseView(Time now, const ViewPtr& view) {
  members_.Use(now, view);
  FollowView(now);
  RunLocal(now);
}

void OnceMachine::FollowView(Time now) {
  for (auto& [router, pull] : members_.DuePulls(now)) {
    Act(SendRequest{router, {.view = members_.id(), .what = std::move(pull)}});
  }
  if (members_.view() == nullptr || !std::exchange(waiting_, false)) return;
  for (const std::uint64_t ticket : requests_.Waiting()) {
    if (KeyedRequest* keyed = requests_.ByTicket(ticket)) StartClaim(now, *keyed, 1);
  }
}

void OnceMachine::Wake(Time now) {
  replica_.Forget(now);
  FollowView(now);
  RunPauses(now);
  while (!releases_.empty() && releases_.begin()->first <= now) {
    const Local next = std::move(releases_.begin()->second);
    releases_.erase(releases_.begin());
    Send(next.replica, next.request);
  }
  RunLocal(now);
}

Time OnceMachine::NextWake() const {
  Time next = std::min(replica_.NextForget(), members_.NextWake());
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first);
  if (!releases_.empty()) next = std::min(next, releases_.begin()->first);
  return next;
}

}  // namespace ringway::router::once
