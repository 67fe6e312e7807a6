// The desk for keyed jobs, second half: what came of them, on record before anybody is told.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/once/once_desk.h"

namespace ringway::router::once {

void OnceDesk::Settle(absl::Time now, JobId job, const Result& result) {
  Course* found = FindByJob(job);
  RINGWAY_CHECK(found != nullptr && found->stage == Stage::kHolding);
  Course& course = *found;
  course.stage = Stage::kSettling;
  course.found = Record{.key = course.key,
                        .fingerprint = course.fingerprint,
                        .claim = course.claim,
                        .done = true,
                        .until = now,
                        .result = result};
  std::vector<Keeper> keepers = course.standing;
  for (const Keeper& keeper : view_.Rank(course.key)) {
    if (std::find(keepers.begin(), keepers.end(), keeper) == keepers.end()) keepers.push_back(keeper);
  }
  course.agreed = 0;
  course.asked = keepers.size();
  for (const Keeper& keeper : keepers) SendEnd(now, course, keeper, ClaimId());
  RunLocal(now);
}

// The key is done: that is told only when a quorum of its keepers has it, or another end might be told too.
void OnceDesk::Confirm(absl::Time now, Course& course, const Keeper& has_it, const Record& record) {
  if (++course.tries > settings_.tries_max) {
    OnQuorumMissed(now, course);
    return;
  }
  course.stage = Stage::kConfirming;
  course.found = record;
  course.agreed = 1;
  course.asked = 0;
  if (course.agreed >= view_.quorum()) {
    AnswerFrom(now, course, record);
    return;
  }
  const std::vector<Keeper> keepers = view_.Rank(course.key);
  for (const Keeper& keeper : keepers) course.asked += keeper == has_it ? 0 : 1;
  for (const Keeper& keeper : keepers) {
    if (keeper != has_it) SendEnd(now, course, keeper, course.claim);
  }
}

void OnceDesk::SendEnd(absl::Time now, Course& course, const Keeper& keeper, const ClaimId& instead_of) {
  Send(now, keeper,
       {.ticket = course.ticket, .what = SettleAsk{.record = *course.found, .instead_of = instead_of}});
}

void OnceDesk::OnEndReply(absl::Time now, Course& course, const Keeper& keeper, const Reply* reply) {
  const bool confirming = course.stage == Stage::kConfirming;
  --course.asked;
  if (reply != nullptr && reply->verdict == Verdict::kOk) {
    ++course.agreed;
  } else if (confirming && reply != nullptr && !reply->records.empty()) {
    // This keeper knows of another claim. An end of a later round counts; a claim has to be waited for.
    const Record other = reply->records.front();
    if (!other.done) {
      Attach(now, course, other);
      return;
    }
    if (other.claim.round > course.found->claim.round) {
      Confirm(now, course, keeper, other);
      return;
    }
  }
  if (course.agreed >= view_.quorum()) {
    if (confirming) {
      AnswerFrom(now, course, Record(*course.found));
    } else {
      Act(Settled{course.job});
      Close(now, course, &*course.found);
    }
  } else if (course.asked == 0) {
    const std::string keepers = NamesOf(view_.Rank(course.key));
    if (confirming) {
      Refuse(now, course, Outcome::kFailed,
             absl::StrCat("a job with this idempotency key was done, but only ", course.agreed,
                          " of its keepers can be asked (", keepers, "); ask again"),
             absl::Seconds(1));
    } else {
      ++counts_.unsettled;
      Act(Unsettled{course.job,
                    absl::StrCat("the job was done, but its end could be recorded by ", course.agreed, " of ",
                                 view_.quorum(), " routers that have to (keepers: ", keepers,
                                 "), so it is not delivered; ask again with the same key")});
      Close(now, course, nullptr);
    }
  }
}

void OnceDesk::AnswerFrom(absl::Time now, Course& course, const Record& record) {
  ++counts_.answered;
  Act(Answered{course.job, record.result});
  // Claims that the end has not replaced.
  for (const Keeper& keeper : course.standing) {
    Send(now, keeper, {.what = ReleaseAsk{course.key, course.claim}});
  }
  course.standing.clear();
  Close(now, course, &record);
}

void OnceDesk::Drop(absl::Time now, JobId job, dispatch::AttemptId attempt) {
  Course* course = FindByJob(job);
  if (course == nullptr) return;
  if (course->stage == Stage::kHolding && attempt != 0) {
    // Its worker may still be at it: the key is not free before that is over.
    by_job_.erase(job);
    course->job = JobId();
    course->stage = Stage::kLingering;
    lingering_[attempt] = course->ticket;
    return;
  }
  if (course->following) {
    if (Course* leader = FindLeader(course->key)) std::erase(leader->followers, course->ticket);
  }
  // While its end is being recorded the claim stays: a keeper may have the end already.
  if (course->stage == Stage::kSettling) course->standing.clear();
  GiveUpClaim(now, *course);
  Close(now, *course, nullptr);
  RunLocal(now);
}

void OnceDesk::AttemptOver(absl::Time now, dispatch::AttemptId attempt) {
  const auto found = lingering_.find(attempt);
  if (found == lingering_.end()) return;
  Course* course = FindByTicket(found->second);
  lingering_.erase(found);
  GiveUpClaim(now, *course);
  Close(now, *course, nullptr);
  RunLocal(now);
}

void OnceDesk::Close(absl::Time now, Course& course, const Record* end) {
  for (const CallId call : course.callers) {
    Act(AnswerCall{
        call, end ? Reply{.verdict = Verdict::kDone, .records = {*end}} : Reply{Verdict::kEndedWithout}});
  }
  if (course.job.valid()) by_job_.erase(course.job);
  if (!course.following) leaders_.erase(course.key);
  const std::vector<std::uint64_t> followers = std::move(course.followers);
  const std::optional<Record> told = end ? std::optional<Record>(*end) : std::nullopt;
  courses_.erase(course.ticket);  // `course` and `end` are gone
  for (const std::uint64_t ticket : followers) {
    Course* follower = FindByTicket(ticket);
    if (follower == nullptr) continue;
    if (told) {
      AnswerFrom(now, *follower, *told);
    } else {
      Lead(now, *follower);
    }
  }
}

}  // namespace ringway::router::once
