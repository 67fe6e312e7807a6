#include "cli/jobs_listed.h"

#include <algorithm>
#include <map>
#include <string>

namespace ringway::cli {

JobsListed Listed(const std::vector<v1::ListJobsReply>& replies) {
  JobsListed listed;
  std::map<std::string, const v1::JobListing*> served;  // for another router, by id
  for (const v1::ListJobsReply& reply : replies) {
    listed.left_out += reply.left_out();
    listed.plain_requests += reply.plain_requests();
    for (const v1::JobListing& job : reply.jobs()) {
      if (job.forwarded()) served[job.id()] = &job;
    }
  }
  for (const v1::ListJobsReply& reply : replies) {
    for (const v1::JobListing& job : reply.jobs()) {
      if (job.forwarded()) continue;
      v1::JobListing row = job;
      if (const auto there = served.find(job.id()); there != served.end()) {
        row.set_state(there->second->state());
        row.set_worker(there->second->worker());
        if (!there->second->region().empty()) row.set_region(there->second->region());
        served.erase(there);
      }
      listed.jobs.push_back(std::move(row));
    }
  }
  // Their first router did not answer, or was not asked.
  for (const auto& [id, job] : served) listed.jobs.push_back(*job);
  std::stable_sort(listed.jobs.begin(), listed.jobs.end(),
                   [](const v1::JobListing& a, const v1::JobListing& b) { return a.age_s() > b.age_s(); });
  return listed;
}

}  // namespace ringway::cli
