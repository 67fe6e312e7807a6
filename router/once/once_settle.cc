// Keyed jobs, second half: what came of them, on record before anybody is told.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/once/once_machine.h"

namespace ringway::router::once {

void OnceMachine::Settle(Time now, JobId job, const Result& result) {
  KeyedRequest* found = requests_.ByJob(job);
  RINGWAY_CHECK(found != nullptr && found->stage == Stage::kHolding);
  KeyedRequest& keyed = *found;
  keyed.stage = Stage::kSettling;
  keyed.found = Record{.key = keyed.key,
                       .fingerprint = keyed.fingerprint,
                       .claim = keyed.claim,
                       .done = true,
                       .until = now,
                       .result = result};
  keyed.tries = 0;
  RecordEnd(keyed);
  RunLocal(now);
}

// At the replicas of now: those of the view in which it was claimed may have been left for a later one, whose
// replicas have read the claim.
void OnceMachine::RecordEnd(KeyedRequest& keyed) {
  ++keyed.tries;
  keyed.view = members_.id();
  keyed.quorum = members_.quorum();
  keyed.replicas = members_.ReplicasOf(keyed.key);
  keyed.agreed = 0;
  keyed.asked = keyed.replicas.size();
  keyed.unready = false;
  for (const Replica& replica : keyed.replicas) SendEnd(keyed, replica, ClaimId());
}

// The key is done: that is told only when a quorum of its replicas has it, or another end might be told too.
void OnceMachine::Confirm(Time now, KeyedRequest& keyed, const Replica& has_it, const Record& record) {
  if (++keyed.tries > settings_.tries_max) {
    OnQuorumMissed(now, keyed);
    return;
  }
  keyed.stage = Stage::kConfirming;
  keyed.found = record;
  keyed.agreed = 1;
  keyed.asked = 0;
  if (keyed.agreed >= keyed.quorum) {
    AnswerFrom(now, keyed, record);
    return;
  }
  for (const Replica& replica : keyed.replicas) keyed.asked += replica.mark == has_it.mark ? 0 : 1;
  for (const Replica& replica : keyed.replicas) {
    if (replica.mark != has_it.mark) SendEnd(keyed, replica, keyed.claim);
  }
}

void OnceMachine::SendEnd(KeyedRequest& keyed, const Replica& replica, const ClaimId& instead_of) {
  Send(replica, {.ticket = keyed.ticket,
                 .view = keyed.view,
                 .what = SettleRequest{.record = *keyed.found, .instead_of = instead_of}});
}

void OnceMachine::OnEndReply(Time now, KeyedRequest& keyed, const Replica& replica, const Reply* reply) {
  const bool confirming = keyed.stage == Stage::kConfirming;
  --keyed.asked;
  if (reply != nullptr && reply->verdict == Verdict::kOk) {
    ++keyed.agreed;
  } else if (reply != nullptr &&
             (reply->verdict == Verdict::kNotReady || reply->verdict == Verdict::kOldView)) {
    keyed.unready = true;
  } else if (confirming && reply != nullptr && !reply->records.empty()) {
    // This replica knows of another claim. An end of a later round counts; a claim has to be waited for.
    const Record other = reply->records.front();
    if (!other.done) {
      Attach(now, keyed, other);
      return;
    }
    if (other.claim.round > keyed.found->claim.round) {
      Confirm(now, keyed, replica, other);
      return;
    }
  }
  if (keyed.agreed >= keyed.quorum) {
    if (confirming) {
      AnswerFrom(now, keyed, Record(*keyed.found));
    } else {
      Act(Settled{keyed.job});
      Close(now, keyed, &*keyed.found);
    }
  } else if (keyed.asked == 0) {
    const std::string replicas = NamesOf(keyed.replicas);
    if (confirming && keyed.unready) {
      keyed.found.reset();
      OnQuorumMissed(now, keyed);
    } else if (keyed.unready && now < keyed.deadline) {
      pauses_.emplace(now + std::min(kClaimPause * keyed.tries, kEndPauseMax), keyed.ticket);
    } else if (confirming) {
      Refuse(now, keyed, Outcome::kFailed,
             absl::StrCat("a job with this idempotency key was done, but only ", keyed.agreed,
                          " of its replicas can be asked (", replicas, "); ask again"),
             Seconds(1));
    } else {
      ++counts_.unsettled;
      Act(Unsettled{keyed.job,
                    absl::StrCat("the job was done, but its end could be recorded by ", keyed.agreed, " of ",
                                 keyed.quorum, " routers that have to (replicas: ", replicas,
                                 "), so it is not delivered; ask again with the same key")});
      Close(now, keyed, nullptr);
    }
  }
}

void OnceMachine::AnswerFrom(Time now, KeyedRequest& keyed, const Record& record) {
  ++counts_.answered;
  Act(Answered{keyed.job, record.result});
  // Claims that the end has not replaced.
  for (const auto& [replica, asked, unsure] : keyed.standing) {
    Send(replica, {.what = ReleaseRequest{keyed.key, keyed.claim}});
  }
  keyed.standing.clear();
  Close(now, keyed, &record);
}

void OnceMachine::Drop(Time now, JobId job, dispatch::AttemptId attempt) {
  KeyedRequest* keyed = requests_.ByJob(job);
  if (keyed == nullptr) return;
  if (keyed->stage == Stage::kHolding && attempt != 0) {
    // Its worker may still be at it: the key is not free before that is over.
    requests_.Linger(*keyed, attempt);
    return;
  }
  if (keyed->following) {
    if (KeyedRequest* leader = requests_.LeaderOf(keyed->key)) std::erase(leader->followers, keyed->ticket);
  }
  // While its end is being recorded the claim stays: a replica may have the end already.
  if (keyed->stage == Stage::kSettling) keyed->standing.clear();
  GiveUpClaim(*keyed);
  Close(now, *keyed, nullptr);
  RunLocal(now);
}

void OnceMachine::AttemptOver(Time now, dispatch::AttemptId attempt) {
  KeyedRequest* const keyed = requests_.TakeLingering(attempt);
  if (keyed == nullptr) return;
  GiveUpClaim(*keyed);
  Close(now, *keyed, nullptr);
  RunLocal(now);
}

void OnceMachine::Close(Time now, KeyedRequest& keyed, const Record* end) {
  for (const CallId call : keyed.callers) {
    Act(AnswerCall{
        call, end ? Reply{.verdict = Verdict::kDone, .records = {*end}} : Reply{Verdict::kEndedWithout}});
  }
  const std::vector<std::uint64_t> followers = std::move(keyed.followers);
  const std::optional<Record> told = end ? std::optional<Record>(*end) : std::nullopt;
  requests_.Remove(keyed);  // `keyed` and `end` are gone
  for (const std::uint64_t ticket : followers) {
    KeyedRequest* follower = requests_.ByTicket(ticket);
    if (follower == nullptr) continue;
    if (told) {
      AnswerFrom(now, *follower, *told);
    } else {
      Lead(now, *follower);
    }
  }
}

}  // namespace ringway::router::once
