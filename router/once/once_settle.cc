// Keyed jobs, second half: what came of them, on record before anybody is told.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/once/once_machine.h"

namespace ringway::router::once {
namespace {

bool Contains(const std::vector<std::uint64_t>& marks, std::uint64_t mark) {
  return std::find(marks.begin(), marks.end(), mark) != marks.end();
}

}  // namespace

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
  keyed.tries = 1;
  RecordEnd(keyed);
  RunLocal(now);
}

// At the replicas of now: those of the view in which it was claimed may have been left for a later one, whose
// replicas have read the claim.
void OnceMachine::RecordEnd(KeyedRequest& keyed) {
  keyed.view = members_.id();
  keyed.quorum = members_.quorum();
  keyed.replicas = members_.ReplicasOf(keyed.key);
  keyed.agreed = 0;
  keyed.asked = keyed.replicas.size();
  keyed.unready = false;
  for (const Replica& replica : keyed.replicas) {
    Send(replica,
         {.ticket = keyed.ticket, .view = keyed.view, .what = SettleRequest{.record = *keyed.found}});
  }
}

// An end that one replica tells may be nobody else's. It may be told to the client if a quorum has accepted
// it in this view. If that is not to be seen, it has to be recorded once more, as the end of a claim that a
// quorum has agreed to since: then no other end can have been told, and none can be after it.
bool OnceMachine::SeeEnds(Time now, KeyedRequest& keyed, const Replica& replica, const Reply& reply) {
  for (const Record& record : reply.records) {
    if (record.fingerprint != keyed.fingerprint) {
      Refuse(now, keyed, Outcome::kRejected,
             "this idempotency key has been used for another request; a key belongs to one request",
             ZeroDuration());
      return true;
    }
    if (!record.done) continue;
    if (!keyed.seen || keyed.seen->claim.round < record.claim.round) {
      keyed.seen = record;
      keyed.voters.clear();
    }
    const bool votes =
        record.claim == keyed.seen->claim && record.voted_in.stated() && record.voted_in == keyed.view;
    if (votes && !Contains(keyed.voters, replica.mark)) keyed.voters.push_back(replica.mark);
  }
  if (!keyed.seen || keyed.voters.size() < keyed.quorum) return false;
  AnswerFrom(now, keyed, Record(*keyed.seen));
  return true;
}

// From now on the claim may have an end somewhere, so it is not given up any more: it ends, expires, or gives
// way to a later one. What a quorum has promised in an earlier view counts nothing in a later one.
void OnceMachine::Confirm(Time now, KeyedRequest& keyed) {
  if (keyed.view != members_.id()) {
    Pause(now, keyed);
    return;
  }
  keyed.stage = Stage::kConfirming;
  keyed.found = *std::exchange(keyed.seen, std::nullopt);
  keyed.found->claim = keyed.claim;
  keyed.standing.clear();
  RecordEnd(keyed);
}

void OnceMachine::OnEndReply(Time now, KeyedRequest& keyed, const Reply* reply) {
  --keyed.asked;
  const Verdict verdict = reply == nullptr ? Verdict::kNotMine : reply->verdict;
  if (verdict == Verdict::kOk) ++keyed.agreed;
  keyed.unready |= verdict == Verdict::kNotReady || verdict == Verdict::kOldView;
  if (keyed.agreed < keyed.quorum) {
    if (keyed.asked == 0) OnEndMissed(now, keyed);
    return;
  }
  if (keyed.stage == Stage::kConfirming) {
    AnswerFrom(now, keyed, Record(*keyed.found));
  } else {
    Act(Settled{keyed.job});
    Close(now, keyed, &*keyed.found);
  }
}

void OnceMachine::OnEndMissed(Time now, KeyedRequest& keyed) {
  if (keyed.stage == Stage::kConfirming) {
    // Another claim came in between, or replicas went silent: everything is asked again.
    keyed.found.reset();
    Pause(now, keyed);
  } else if (keyed.unready && now < keyed.deadline) {
    pauses_.emplace(now + std::min(kClaimPause * keyed.tries, kEndPauseMax), keyed.ticket);
  } else {
    ++counts_.unsettled;
    Act(Unsettled{keyed.job, absl::StrCat("the job was done, but its end could be recorded by ", keyed.agreed,
                                          " of ", keyed.quorum, " routers that have to (replicas: ",
                                          members_.NamesOf(keyed.replicas),
                                          "), so it is not delivered; ask again with the same key")});
    Close(now, keyed, nullptr);
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
    // Its worker may still be at it: the key is not free before that is over, or cannot be going on any more.
    requests_.Linger(*keyed, attempt);
    pauses_.emplace(keyed->deadline + settings_.hold_margin, keyed->ticket);
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
