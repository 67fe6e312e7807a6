// The live stream of the dashboard: the newest fleet document to everybody who watches.
//
// Server-sent events (WHATWG HTML, 9.2). A frame is the whole state, so a slow watcher loses nothing by
// missing some: while more than kQueuedMax of earlier frames waits for it, it gets none, and the newest as
// soon as it has read. Whether anybody watches is known to the loop that makes the frames, which makes none
// otherwise.
//
// Bounds: kWatchersMax watchers, one frame each beyond kQueuedMax. Threads: the web loop's, but `watched`.
#ifndef RINGWAY_CONTROLLER_DAEMON_LIVE_FEED_H_
#define RINGWAY_CONTROLLER_DAEMON_LIVE_FEED_H_

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "runtime/http/server_connection.h"

namespace ringway::controller {

class LiveFeed {
 public:
  static constexpr std::size_t kWatchersMax = 64;
  static constexpr std::size_t kQueuedMax = std::size_t{256} << 10;
  using Frame = std::shared_ptr<const std::string>;

  // Any thread.
  bool watched() const { return watched_.load(std::memory_order_relaxed); }
  bool full() const { return watchers_.size() >= kWatchersMax; }
  std::size_t watchers() const { return watchers_.size(); }

  // The head of the response is written; what follows is the feed's. Only if not full.
  void Add(http::ServerConnection& client);
  // False: it is not a watcher.
  bool Remove(http::ServerConnection& client);
  void Drained(http::ServerConnection& client);
  void Send(Frame frame);

 private:
  void SendTo(http::ServerConnection& client, bool& behind);

  Frame newest_;
  std::map<http::ServerConnection*, bool> watchers_;  // whether it is behind
  std::atomic<bool> watched_{false};
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_LIVE_FEED_H_
