// Asks other routers for their page of a list of jobs, all at once, and merges what they say.
//
// Who has not answered within kWaitMax is named as silent in the list: a list is a look, not a promise. A
// broken connection is tried once more, because a restarted router answers at another address. One that does
// not serve the API has no jobs. One list asks kRoutersMax routers at most, those that are named first, and
// says how many it left out.
//
// Lifetime: shared, because a connection may outlive it by a turn; Abandon when the client is gone. Bounds:
// kAnswerBytesMax from each router. Threads: the front's loop.
#ifndef RINGWAY_GATEWAY_FLEET_LIST_H_
#define RINGWAY_GATEWAY_FLEET_LIST_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "gateway/jobs/list_page.h"
#include "gateway/peers.h"

namespace ringway::gateway {

class FleetList final : public std::enable_shared_from_this<FleetList> {
 public:
  static constexpr std::size_t kRoutersMax = 64;
  static constexpr std::size_t kAnswerBytesMax = std::size_t{8} << 20;
  static constexpr Duration kWaitMax = Seconds(1);
  // Once, not from within Begin.
  using Done = std::function<void(const ListPage&, const ListGaps&)>;

  // `own`: this router's page. `request`: as it stands on the wire.
  FleetList(Peers& peers, ListQuery query, ListPage own, std::string request, Done done);
  ~FleetList();

  void Begin(std::vector<std::string> routers, Time now);
  void OnTick(Time now);
  void Abandon();

 private:
  class Asking;
  void OnPage(ListPage page);
  void OnSilent(const std::string& router);
  void FinishIfAll();
  void Finish();

  Peers& peers_;
  const ListQuery query_;
  const std::string request_;
  Done done_;
  std::vector<ListPage> pages_;
  ListGaps gaps_;
  std::vector<std::shared_ptr<Asking>> asking_;
  std::size_t open_ = 0;
  Time give_up_ = InfiniteFuture();
  bool over_ = false;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_FLEET_LIST_H_
