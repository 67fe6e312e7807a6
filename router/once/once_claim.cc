// The desk for keyed jobs, first half: from a request with a key to the right to run it.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "router/once/once_desk.h"

namespace ringway::router::once {
namespace {

// When something that should pass soon stands in the way.
constexpr absl::Duration kSoon = absl::Seconds(1);

}  // namespace

void OnceDesk::Begin(absl::Time now, JobId job, const std::string& key, std::uint64_t fingerprint,
                     absl::Time deadline) {
  RINGWAY_CHECK(on() && FindByJob(job) == nullptr);
  const std::uint64_t ticket = ++last_ticket_;
  Course& course = courses_[ticket];
  course.ticket = ticket;
  course.job = job;
  course.key = key;
  course.fingerprint = fingerprint;
  course.deadline = deadline;
  by_job_[job] = ticket;
  Lead(now, course);
  RunLocal(now);
}

// The first request with a key goes to the keepers; later ones at this router follow it.
void OnceDesk::Lead(absl::Time now, Course& course) {
  course.stage = Stage::kWaiting;
  if (Course* leader = FindLeader(course.key)) {
    if (leader->fingerprint != course.fingerprint) {
      Refuse(now, course, Outcome::kRejected,
             "this idempotency key is in use for another request; a key belongs to one request",
             absl::ZeroDuration());
      return;
    }
    course.following = true;
    leader->followers.push_back(course.ticket);
    ++counts_.attached;
    Act(Attached{course.job});
    return;
  }
  course.following = false;
  course.over.clear();
  leaders_[course.key] = course.ticket;
  if (!starting_) StartClaim(now, course, 1);
}

void OnceDesk::StartClaim(absl::Time now, Course& course, std::uint32_t round) {
  if (++course.tries > settings_.tries_max) {
    Refuse(now, course, Outcome::kFailed,
           absl::StrCat("other requests with this idempotency key came in between ", settings_.tries_max,
                        " times; nothing was started for this one"),
           kSoon);
    return;
  }
  course.stage = Stage::kClaiming;
  course.claim = {.round = round, .owner = view_.self(), .life = settings_.life, .serial = ++last_serial_};
  course.keepers = view_.Rank(course.key);
  course.next = 0;
  course.standing.clear();
  AskNext(now, course);
}

void OnceDesk::AskNext(absl::Time now, Course& course) {
  if (course.standing.size() >= view_.quorum()) {
    course.stage = Stage::kHolding;
    course.found.reset();
    ++counts_.granted;
    Act(Granted{course.job});
    return;
  }
  if (course.next >= course.keepers.size()) {
    OnQuorumMissed(now, course);
    return;
  }
  Send(now, course.keepers[course.next++],
       {.ticket = course.ticket,
        .what = ClaimAsk{.key = course.key,
                         .fingerprint = course.fingerprint,
                         .claim = course.claim,
                         .hold = course.deadline - now + settings_.hold_margin,
                         .over = course.over}});
}

void OnceDesk::OnClaimReply(absl::Time now, Course& course, const Keeper& keeper, const ClaimAsk& ask,
                            const Reply* reply) {
  switch (reply == nullptr ? Verdict::kNotReady : reply->verdict) {
    case Verdict::kOk:
      course.standing.push_back(keeper);
      AskNext(now, course);
      return;
    case Verdict::kBehind:
      if (!reply->records.empty()) {
        const std::uint32_t round = reply->records.front().claim.round + 1;
        const ClaimId own = course.claim;
        GiveUpClaim(now, course);
        course.over = {own};
        StartClaim(now, course, round);
        return;
      }
      break;
    case Verdict::kTaken:
    case Verdict::kExpired:
      if (!reply->records.empty()) {
        OnTaken(now, course, keeper, *reply);
        return;
      }
      break;
    default:
      break;
  }
  // It may have recorded the claim all the same.
  if (reply == nullptr) Send(now, keeper, {.what = ReleaseAsk{ask.key, ask.claim}});
  AskNext(now, course);
}

void OnceDesk::OnTaken(absl::Time now, Course& course, const Keeper& keeper, const Reply& reply) {
  const Record& record = reply.records.front();
  if (record.fingerprint != course.fingerprint) {
    Refuse(now, course, Outcome::kRejected,
           "this idempotency key has been used for another request; a key belongs to one request",
           absl::ZeroDuration());
  } else if (record.done) {
    Confirm(now, course, keeper, record);
  } else if (reply.verdict == Verdict::kExpired) {
    TakeOver(now, course, record.claim);
  } else if (course.found && course.found->claim == record.claim) {
    AskNext(now, course);  // its owner is silent; another keeper may know the end
  } else {
    Attach(now, course, record);
  }
}

void OnceDesk::TakeOver(absl::Time now, Course& course, const ClaimId& from) {
  ++counts_.taken_over;
  const ClaimId own = course.claim;
  GiveUpClaim(now, course);
  course.found.reset();
  course.over = {from};
  if (own.stated()) course.over.push_back(own);
  StartClaim(now, course, from.round + 1);
}

void OnceDesk::Attach(absl::Time now, Course& course, const Record& record) {
  GiveUpClaim(now, course);
  course.stage = Stage::kAttached;
  course.found = record;
  Keeper owner;
  if (record.claim.owner == view_.self()) {
    // A leader's followers never come here, so this is an earlier life's, or one that was given up.
    TakeOver(now, course, ClaimId(record.claim));
  } else if (!view_.Find(record.claim.owner, owner)) {
    OnOwnerSilent(now, course);
  } else {
    ++counts_.attached;
    Act(Attached{course.job});
    Send(now, owner,
         {.ticket = course.ticket,
          .what = AttachAsk{.key = course.key, .claim = record.claim, .patience = course.deadline - now}});
  }
}

void OnceDesk::OnAttachReply(absl::Time now, Course& course, const AttachAsk& ask, const Reply* reply) {
  switch (reply == nullptr ? Verdict::kNotReady : reply->verdict) {
    case Verdict::kDone:
      if (!reply->records.empty()) {
        AnswerFrom(now, course, reply->records.front());
        return;
      }
      break;
    case Verdict::kEndedWithout:
    case Verdict::kNotMine:
      TakeOver(now, course, ask.claim);
      return;
    default:
      break;
  }
  OnOwnerSilent(now, course);
}

// Its end may be on record somewhere: all keepers are asked, and nobody's claim is taken over.
void OnceDesk::OnOwnerSilent(absl::Time now, Course& course) {
  course.over.clear();
  StartClaim(now, course, course.found->claim.round + 1);
}

void OnceDesk::OnQuorumMissed(absl::Time now, Course& course) {
  if (course.found) {
    const Record& found = *course.found;
    Refuse(now, course, Outcome::kFailed,
           absl::StrCat("outcome unknown: router ", view_.NameOf(found.claim.owner),
                        " has begun a job with this idempotency key and does not answer; it is not started "
                        "again before its deadline has passed"),
           std::max(found.until - now, kSoon));
    return;
  }
  if (course.tries < settings_.tries_max) {
    GiveUpClaim(now, course);
    course.stage = Stage::kPausing;
    pauses_.emplace(now + kClaimPause * course.tries, course.ticket);
    return;
  }
  Refuse(now, course, Outcome::kFailed,
         absl::StrCat("the idempotency key could be recorded by ", course.standing.size(), " of ",
                      view_.quorum(), " routers that have to; its keepers are ", NamesOf(course.keepers),
                      "; nothing was started"),
         kSoon);
}

void OnceDesk::RunPauses(absl::Time now) {
  while (!pauses_.empty() && pauses_.begin()->first <= now) {
    Course* course = FindByTicket(pauses_.begin()->second);
    pauses_.erase(pauses_.begin());
    if (course != nullptr && course->stage == Stage::kPausing) StartClaim(now, *course, 1);
  }
}

// The claim is nobody's from now on; what was waiting for its end hears that there is none.
void OnceDesk::GiveUpClaim(absl::Time now, Course& course) {
  for (const Keeper& keeper : course.standing) {
    Send(now, keeper, {.what = ReleaseAsk{course.key, course.claim}});
  }
  course.standing.clear();
  course.claim = ClaimId();
  for (const CallId call : course.callers) Act(AnswerCall{call, {Verdict::kEndedWithout}});
  course.callers.clear();
}

void OnceDesk::Refuse(absl::Time now, Course& course, Outcome outcome, std::string message,
                      absl::Duration retry_after) {
  ++counts_.refused;
  Act(Refused{course.job, outcome, std::move(message), retry_after});
  GiveUpClaim(now, course);
  Close(now, course, nullptr);
}

}  // namespace ringway::router::once
