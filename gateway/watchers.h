// Which exchanges wait for news of which job.
//
// An exchange may wait for several jobs, and a job may have several that wait. Whoever goes takes itself out;
// a job that nobody waits for is not kept. News are told to a copy of the list, because telling one may end
// another.
//
// Threads: one owner. O(log n). Bounds: the front's connections, times the jobs of one exchange.
#ifndef RINGWAY_GATEWAY_WATCHERS_H_
#define RINGWAY_GATEWAY_WATCHERS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ringway::gateway {

class Watchers {
 public:
  void Add(std::uint64_t tag, const std::string& id) { by_job_[id].insert(tag); }
  void Remove(std::uint64_t tag, const std::string& id) {
    const auto watched = by_job_.find(id);
    if (watched == by_job_.end()) return;
    watched->second.erase(tag);
    if (watched->second.empty()) by_job_.erase(watched);
  }
  std::set<std::uint64_t> Of(const std::string& id) const {
    const auto watched = by_job_.find(id);
    return watched == by_job_.end() ? std::set<std::uint64_t>() : watched->second;
  }
  void Clear() { by_job_.clear(); }

 private:
  std::map<std::string, std::set<std::uint64_t>> by_job_;  // tags of exchanges
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_WATCHERS_H_
