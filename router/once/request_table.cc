#include "router/once/request_table.h"

namespace ringway::router::once {

KeyedRequest& RequestTable::Add(JobId job) {
  const std::uint64_t ticket = ++last_ticket_;
  KeyedRequest& keyed = requests_[ticket];
  keyed.ticket = ticket;
  keyed.job = job;
  by_job_[job] = ticket;
  return keyed;
}

void RequestTable::Remove(const KeyedRequest& keyed) {
  if (keyed.job.valid()) by_job_.erase(keyed.job);
  if (!keyed.following) leaders_.erase(keyed.key);
  if (keyed.stage == Stage::kLingering) {
    std::erase_if(lingering_, [&](const auto& entry) { return entry.second == keyed.ticket; });
  }
  requests_.erase(keyed.ticket);
}

KeyedRequest* RequestTable::ByTicket(std::uint64_t ticket) {
  const auto found = requests_.find(ticket);
  return found == requests_.end() ? nullptr : &found->second;
}

KeyedRequest* RequestTable::ByJob(JobId job) {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : ByTicket(found->second);
}

KeyedRequest* RequestTable::LeaderOf(const std::string& key) {
  const auto found = leaders_.find(key);
  return found == leaders_.end() ? nullptr : ByTicket(found->second);
}

void RequestTable::Linger(KeyedRequest& keyed, dispatch::AttemptId attempt) {
  by_job_.erase(keyed.job);
  keyed.job = JobId();
  keyed.stage = Stage::kLingering;
  lingering_[attempt] = keyed.ticket;
}

KeyedRequest* RequestTable::TakeLingering(dispatch::AttemptId attempt) {
  const auto found = lingering_.find(attempt);
  if (found == lingering_.end()) return nullptr;
  KeyedRequest* const keyed = ByTicket(found->second);
  lingering_.erase(found);
  return keyed;
}

std::vector<std::uint64_t> RequestTable::Waiting() const {
  std::vector<std::uint64_t> waiting;
  for (const auto& [ticket, keyed] : requests_) {
    if (keyed.stage == Stage::kWaiting && !keyed.following) waiting.push_back(ticket);
  }
  return waiting;
}

}  // namespace ringway::router::once
