// The jobs of this router as calls, towards operators and other routers: which there are, and the end of one
// that they do not want.
#include <utility>

#include "router/daemon/jobs/job_calls.h"

namespace ringway::router {

std::vector<JobSeen> JobCalls::Seen() const {
  std::vector<JobSeen> seen;
  for (JobId id(0); id != calls_.end_id(); id = JobId(id.index() + 1)) {
    const Call* call = calls_[id].get();
    if (call == nullptr || call->stage == Stage::kEnded) continue;
    seen.push_back({id, call->header, call->facts, call->stage == Stage::kUploading});
  }
  return seen;
}

std::uint32_t JobCalls::CancelJobs(const std::string& request_id, const std::string& why) {
  std::vector<JobId> named;
  for (const JobSeen& seen : Seen()) {
    if (seen.header.request_id() == request_id) named.push_back(seen.id);
  }
  for (const JobId id : named) {
    Call& call = *calls_[id];
    if (call.stage == Stage::kWithMachine) {
      // To the machine it is a job that nobody waits for any more, but the router that forwarded it:
      // withdrawn wherever it is, never sent again.
      call.cancelled = why;
      call.facts.forwarded ? tell_(JobWithdrawn{id}) : tell_(ClientGone{id});
      continue;
    }
    // No machine knows it yet; its end is remembered, so that a second order finds it.
    call.trace.mutable_end()->set_outcome(std::string(OutcomeName(Outcome::kCancelled)));
    call.trace.mutable_end()->set_message(why);
    traces_.Keep(std::exchange(call.trace, {}));
    GiveUpUpload(id, Outcome::kCancelled, why);
  }
  return static_cast<std::uint32_t>(named.size());
}

bool JobCalls::WithdrawForwarded(const std::string& attempt) {
  const auto found = forwarded_.find(attempt);
  if (found == forwarded_.end()) return false;
  const JobId id = found->second;
  switch (calls_[id]->stage) {
    case Stage::kUploading:
      GiveUpUpload(id, Outcome::kCancelled, "the router that forwarded the job wants it no more");
      return true;
    case Stage::kWithMachine:
      tell_(JobWithdrawn{id});
      return true;
    case Stage::kEnded:
      break;  // its End is on its way
  }
  return false;
}

}  // namespace ringway::router
