// Keyed jobs, first half: from a request with a key to the right to run it.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/once/once_machine.h"

namespace ringway::router::once {
namespace {

// When something that should pass soon stands in the way.
constexpr Duration kSoon = Seconds(1);
// Two questions to replicas, one after the other, take no longer. A consent to one that was asked earlier is
// asked for again, for this router has stood still since.
constexpr Duration kConsentAgeMax = Seconds(2);

// One of those that have to be asked again before the claim counts; null: none.
Consent* Doubtful(Time now, std::uint64_t self, std::vector<Consent>& standing) {
  const auto doubtful = std::find_if(standing.begin(), standing.end(), [&](const Consent& consent) {
    return consent.replica.mark != self && (consent.unsure || now - consent.asked > kConsentAgeMax);
  });
  return doubtful == standing.end() ? nullptr : &*doubtful;
}

}  // namespace

void OnceMachine::Begin(Time now, JobId job, const std::string& key, std::uint64_t fingerprint,
                        Time deadline) {
  RINGWAY_CHECK(on() && requests_.ByJob(job) == nullptr);
  KeyedRequest& keyed = requests_.Add(job);
  keyed.key = key;
  keyed.fingerprint = fingerprint;
  keyed.deadline = deadline;
  Lead(now, keyed);
  RunLocal(now);
}

// The first request with a key goes to the replicas; later ones at this router follow it.
void OnceMachine::Lead(Time now, KeyedRequest& keyed) {
  keyed.stage = Stage::kWaiting;
  if (KeyedRequest* leader = requests_.LeaderOf(keyed.key)) {
    if (leader->fingerprint != keyed.fingerprint) {
      Refuse(now, keyed, Outcome::kRejected,
             "this idempotency key is in use for another request; a key belongs to one request",
             ZeroDuration());
      return;
    }
    keyed.following = true;
    leader->followers.push_back(keyed.ticket);
    ++counts_.attached;
    Act(Attached{keyed.job});
    return;
  }
  keyed.following = false;
  keyed.over.clear();
  requests_.Lead(keyed);
  if (members_.view() != nullptr) {
    StartClaim(now, keyed, 1);
  } else {
    waiting_ = true;
  }
}

void OnceMachine::StartClaim(Time now, KeyedRequest& keyed, std::uint32_t round) {
  if (++keyed.tries > settings_.tries_max) {
    Refuse(now, keyed, Outcome::kFailed,
           absl::StrCat("other requests with this idempotency key came in between ", settings_.tries_max,
                        " times; nothing was started for this one"),
           kSoon);
    return;
  }
  keyed.stage = Stage::kClaiming;
  keyed.claim = {.round = round, .owner = members_.self(), .life = settings_.life, .serial = ++last_serial_};
  keyed.view = members_.id();
  keyed.quorum = members_.quorum();
  keyed.replicas = members_.ReplicasOf(keyed.key);
  keyed.next = 0;
  keyed.unready = false;
  keyed.standing.clear();
  keyed.seen.reset();
  keyed.voters.clear();
  AskNext(now, keyed);
}

// A replica that agreed and has started again since has forgotten it, and would agree to another claim; so
// who agreed before somebody's silence was waited out, or long ago, is asked once more. It takes longer to
// start and read what was on record than to ask.
void OnceMachine::AskNext(Time now, KeyedRequest& keyed) {
  if (keyed.standing.size() >= keyed.quorum) {
    if (const Consent* doubtful = Doubtful(now, members_.self(), keyed.standing)) {
      AskToClaim(now, keyed, doubtful->replica);
      return;
    }
    if (keyed.seen) {
      Confirm(now, keyed);
      return;
    }
    keyed.stage = Stage::kHolding;
    keyed.found.reset();
    ++counts_.granted;
    Act(Granted{keyed.job});
    return;
  }
  if (keyed.next >= keyed.replicas.size()) {
    OnQuorumMissed(now, keyed);
    return;
  }
  AskToClaim(now, keyed, keyed.replicas[keyed.next++]);
}

void OnceMachine::AskToClaim(Time now, KeyedRequest& keyed, const Replica& replica) {
  keyed.awaited = {replica, now};
  Send(replica, {.ticket = keyed.ticket,
                 .view = keyed.view,
                 .what = ClaimRequest{.key = keyed.key,
                                      .fingerprint = keyed.fingerprint,
                                      .claim = keyed.claim,
                                      .hold = keyed.deadline - now + settings_.hold_margin,
                                      .over = keyed.over}});
}

void OnceMachine::OnClaimReply(Time now, KeyedRequest& keyed, const Replica& replica,
                               const ClaimRequest& request, const Reply* reply) {
  std::erase_if(keyed.standing, [&](const Consent& c) { return c.replica.mark == replica.mark; });
  switch (reply == nullptr ? Verdict::kNotReady : reply->verdict) {
    case Verdict::kOk:
      keyed.standing.push_back(keyed.awaited);
      if (!SeeEnds(now, keyed, replica, *reply)) AskNext(now, keyed);
      return;
    case Verdict::kBehind:
      if (!reply->records.empty()) {
        Outbid(now, keyed, reply->records.front().claim.round);
        return;
      }
      break;
    case Verdict::kTaken:
    case Verdict::kExpired:
      if (!reply->records.empty()) {
        OnTaken(now, keyed, replica, *reply);
        return;
      }
      break;
    case Verdict::kOldView:
      // What has been agreed to in this view, another one's replicas need not hear of in time.
      keyed.unready = true;
      Pause(now, keyed);
      return;
    case Verdict::kNotReady:
      keyed.unready |= reply != nullptr;
      break;
    default:
      break;
  }
  // It may have recorded the claim all the same.
  if (reply == nullptr) {
    Send(replica, {.what = ReleaseRequest{request.key, request.claim}});
    for (Consent& consent : keyed.standing) consent.unsure = true;
  }
  AskNext(now, keyed);
}

void OnceMachine::OnTaken(Time now, KeyedRequest& keyed, const Replica& replica, const Reply& reply) {
  if (SeeEnds(now, keyed, replica, reply)) return;
  const Record& record = reply.records.front();
  if (record.done) {
    if (record.claim.round < keyed.claim.round) {
      // A replica of an earlier release gives no promises: it is taken at its word.
      keyed.standing.push_back(keyed.awaited);
    } else if (record.voted_in != keyed.view) {
      Outbid(now, keyed, record.claim.round);  // no quorum of votes is to be expected
      return;
    }
    AskNext(now, keyed);
  } else if (reply.verdict == Verdict::kExpired) {
    TakeOver(now, keyed, record.claim);
  } else if (keyed.found && keyed.found->claim == record.claim) {
    AskNext(now, keyed);  // its owner is silent; another replica may know the end
  } else {
    Attach(now, keyed, record);
  }
}

void OnceMachine::Outbid(Time now, KeyedRequest& keyed, std::uint32_t round) {
  const std::uint32_t own = keyed.claim.round;
  Forgo(keyed);
  StartClaim(now, keyed, std::max(round, own) + 1);
}

void OnceMachine::TakeOver(Time now, KeyedRequest& keyed, const ClaimId& from) {
  ++counts_.taken_over;
  keyed.found.reset();
  keyed.over = {from};
  Outbid(now, keyed, from.round);
}

void OnceMachine::Attach(Time now, KeyedRequest& keyed, const Record& record) {
  GiveUpClaim(keyed);
  keyed.stage = Stage::kAttached;
  keyed.found = record;
  const Replica owner{record.claim.owner, members_.RouterOf(record.claim.owner)};
  if (record.claim.owner == members_.self()) {
    // A leader's followers never come here, so this is an earlier life's, or one that was given up.
    TakeOver(now, keyed, ClaimId(record.claim));
  } else if (!owner.router.valid()) {
    OnOwnerSilent(now, keyed);
  } else {
    ++counts_.attached;
    Act(Attached{keyed.job});
    Send(owner, {.ticket = keyed.ticket,
                 .what = AttachRequest{.key = keyed.key,
                                       .claim = record.claim,
                                       .patience = std::max(keyed.deadline - now, ZeroDuration())}});
  }
}

void OnceMachine::OnAttachReply(Time now, KeyedRequest& keyed, const AttachRequest& request,
                                const Reply* reply) {
  switch (reply == nullptr ? Verdict::kNotReady : reply->verdict) {
    case Verdict::kDone:
      if (!reply->records.empty()) {
        AnswerFrom(now, keyed, reply->records.front());
        return;
      }
      break;
    case Verdict::kEndedWithout:
    case Verdict::kNotMine:
      TakeOver(now, keyed, request.claim);
      return;
    default:
      break;
  }
  OnOwnerSilent(now, keyed);
}

// Its end may be on record somewhere: all replicas are asked, and nobody's claim is taken over.
void OnceMachine::OnOwnerSilent(Time now, KeyedRequest& keyed) {
  keyed.over.clear();
  StartClaim(now, keyed, keyed.found->claim.round + 1);
}

// All replicas have been asked, and too few agreed.
void OnceMachine::OnQuorumMissed(Time now, KeyedRequest& keyed) {
  if (keyed.seen && keyed.found && keyed.seen->claim == keyed.found->claim) {
    // It stands here and has ended there, so there is nothing left that its silent owner could be running.
    TakeOver(now, keyed, ClaimId(keyed.found->claim));
    return;
  }
  if (keyed.seen && !keyed.unready) {
    if (keyed.claim.round <= keyed.seen->claim.round) {
      Outbid(now, keyed, keyed.seen->claim.round);
      return;
    }
    Refuse(now, keyed, Outcome::kFailed,
           absl::StrCat("a job with this idempotency key was done, but only ", keyed.standing.size(),
                        " of its replicas can be asked (", members_.NamesOf(keyed.replicas), "); ask again"),
           kSoon);
    return;
  }
  if (keyed.found) {
    const Record& found = *keyed.found;
    Refuse(now, keyed, Outcome::kFailed,
           absl::StrCat("outcome unknown: router ", members_.NameOf(found.claim.owner),
                        " has begun a job with this idempotency key and does not answer; it is not started "
                        "again before its deadline has passed"),
           std::max(found.until - now, kSoon));
    return;
  }
  if (keyed.tries < settings_.tries_max) {
    Pause(now, keyed);
    return;
  }
  Refuse(
      now, keyed, Outcome::kFailed,
      absl::StrCat("the idempotency key could be recorded by ", keyed.standing.size(), " of ", keyed.quorum,
                   " routers that have to; its replicas are ", members_.NamesOf(keyed.replicas),
                   keyed.unready ? "; routers came or went, and not all of these have read yet what the "
                                   "replicas before them recorded; nothing was started; ask again"
                                 : "; nothing was started"),
      kSoon);
}

void OnceMachine::Pause(Time now, KeyedRequest& keyed) {
  keyed.round = keyed.claim.round + 1;
  Forgo(keyed);
  keyed.stage = Stage::kPausing;
  pauses_.emplace(now + kClaimPause * keyed.tries, keyed.ticket);
}

// The next claim takes over from this one, and from whom this one has taken over. It has to be of a later
// round than both: two claims of one round could have two ends.
void OnceMachine::Forgo(KeyedRequest& keyed) {
  const ClaimId own = keyed.claim;
  GiveUpClaim(keyed);
  if (!own.stated()) return;
  if (keyed.over.size() > 1) keyed.over.pop_back();
  keyed.over.push_back(own);
}

void OnceMachine::RunPauses(Time now) {
  while (!pauses_.empty() && pauses_.begin()->first <= now) {
    KeyedRequest* keyed = requests_.ByTicket(pauses_.begin()->second);
    pauses_.erase(pauses_.begin());
    if (keyed == nullptr) continue;
    if (keyed->stage == Stage::kPausing) {
      StartClaim(now, *keyed, keyed->round);
    } else if (keyed->stage == Stage::kSettling && keyed->asked == 0) {
      ++keyed->tries;
      RecordEnd(*keyed);
    } else if (keyed->stage == Stage::kLingering) {
      GiveUpClaim(*keyed);
      Close(now, *keyed, nullptr);
    }
  }
}

// The claim is nobody's from now on; what was waiting for its end hears that there is none.
void OnceMachine::GiveUpClaim(KeyedRequest& keyed) {
  for (const auto& [replica, asked, unsure] : keyed.standing) {
    Send(replica, {.what = ReleaseRequest{keyed.key, keyed.claim}});
  }
  if (!keyed.standing.empty() && keyed.view != members_.id()) {
    // The replicas of a later view may have read it.
    for (const Replica& replica : members_.ReplicasOf(keyed.key)) {
      Send(replica, {.what = ReleaseRequest{keyed.key, keyed.claim}});
    }
  }
  keyed.standing.clear();
  keyed.claim = ClaimId();
  for (const CallId call : keyed.callers) Act(AnswerCall{call, {Verdict::kEndedWithout}});
  keyed.callers.clear();
}

void OnceMachine::Refuse(Time now, KeyedRequest& keyed, Outcome outcome, std::string message,
                         Duration retry_after) {
  ++counts_.refused;
  Act(Refused{keyed.job, outcome, std::move(message), retry_after});
  GiveUpClaim(keyed);
  Close(now, keyed, nullptr);
}

}  // namespace ringway::router::once
