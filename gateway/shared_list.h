// A list of videos that also has those whose routers do not answer: what the routers say, and what only the
// shared store knows.
//
// The store is asked for its keys of the same page while the routers are asked. What a router has listed, it
// knows best; of the other keys the records are read, kReadsMax at a time. A store that has not answered
// within kStoreWaitMax after the routers is told as a gap, as a silent router is.
//
// Lifetime: shared, because answers may come later; Abandon when the client is gone. Bounds:
// ListQuery::kLimitMax records. Threads: the front's loop.
#ifndef RINGWAY_GATEWAY_SHARED_LIST_H_
#define RINGWAY_GATEWAY_SHARED_LIST_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "gateway/jobs/list_page.h"
#include "gateway/shared_films.h"

namespace ringway::gateway {

class SharedList final : public std::enable_shared_from_this<SharedList> {
 public:
  static constexpr std::size_t kReadsMax = 8;
  static constexpr Duration kStoreWaitMax = Seconds(2);
  // Once, not from within Begin.
  using Done = std::function<void(const ListPage&, const ListGaps&)>;

  SharedList(SharedFilms& films, ListQuery query, Done done)
      : films_(films), query_(std::move(query)), done_(std::move(done)) {}

  void Begin();
  // What the routers say.
  void OnRouters(ListPage page, ListGaps gaps, Time now);
  void OnTick(Time now);
  void Abandon() { over_ = true; }

 private:
  void OnKeys(const absl::StatusOr<objects::ObjectList>& list);
  void ReadMissing();
  void ReadNext();
  void Finish();

  SharedFilms& films_;
  const ListQuery query_;
  const Done done_;
  std::optional<ListPage> routers_;
  ListGaps gaps_;
  std::optional<objects::ObjectList> keys_;
  std::vector<std::string> missing_;
  std::size_t next_ = 0;
  std::size_t reading_ = 0;
  ListPage stored_;
  Time give_up_ = InfiniteFuture();
  bool over_ = false;
};

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_SHARED_LIST_H_
