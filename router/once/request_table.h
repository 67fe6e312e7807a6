// The keyed requests at this router, and the ways to find one: by its ticket, by its job, as the one that
// leads its key (others with the same key follow it), by the attempt that it lingers for.
//
// Decides nothing. Tickets are numbers that are used once; a request keeps its place until it is removed.
// O(log requests) each. One owner thread.
#ifndef RINGWAY_ROUTER_ONCE_REQUEST_TABLE_H_
#define RINGWAY_ROUTER_ONCE_REQUEST_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/state.h"
#include "router/dispatch/worker_view.h"
#include "router/once/keyed_request.h"

namespace ringway::router::once {

class RequestTable {
 public:
  // With a ticket of its own.
  KeyedRequest& Add(JobId job);
  void Remove(const KeyedRequest& keyed);

  // Null: none.
  KeyedRequest* ByTicket(std::uint64_t ticket);
  KeyedRequest* ByJob(JobId job);
  KeyedRequest* LeaderOf(const std::string& key);

  // From now on it leads its key.
  void Lead(const KeyedRequest& keyed) { leaders_[keyed.key] = keyed.ticket; }
  // Its job is gone, and it stays until the attempt is over.
  void Linger(KeyedRequest& keyed, dispatch::AttemptId attempt);
  // Who lingered for it, once.
  KeyedRequest* TakeLingering(dispatch::AttemptId attempt);

  // Tickets of those who lead and wait for a view.
  std::vector<std::uint64_t> Waiting() const;
  std::size_t size() const { return requests_.size(); }

  RINGWAY_STATE(requests_, by_job_, leaders_, lingering_, last_ticket_)

 private:
  std::map<std::uint64_t, KeyedRequest> requests_;
  std::map<JobId, std::uint64_t> by_job_;
  std::map<std::string, std::uint64_t> leaders_;
  std::map<dispatch::AttemptId, std::uint64_t> lingering_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace ringway::router::once

#endif  // RINGWAY_ROUTER_ONCE_REQUEST_TABLE_H_
