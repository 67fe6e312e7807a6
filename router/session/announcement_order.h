// Which announcement of a worker is the newer one, at the leader of its ledger.
//
// Announcements come over two ways that may overtake each other: the watch stream, and replies to RaiseFence.
// Within one life of the worker their sequence orders them. Between lives it does not: a worker that starts
// anew counts from its clock, and a clock may have been set back. There the connection orders: a life's watch
// stream ends with it, so whatever is heard after a stream broke is newer than all before, and a reply to a
// call that was made before it broke is not heard any more.
//
// The ledger gets numbers of this process's own, which rise with each announcement that was let through.
// Complexity O(1). One owner thread.
#ifndef RINGWAY_ROUTER_SESSION_ANNOUNCEMENT_ORDER_H_
#define RINGWAY_ROUTER_SESSION_ANNOUNCEMENT_ORDER_H_

#include <cstdint>
#include <optional>

namespace ringway::router {

class AnnouncementOrder {
 public:
  // The watch stream ended.
  void StreamBroke() {
    ++session_;
    newest_ = 0;
  }
  // To be kept with a call that is made now.
  std::uint64_t session() const { return session_; }
  // The ledger's number of an announcement with this sequence, of this session; nothing: it is out of date.
  std::optional<std::uint64_t> Number(std::uint64_t session, std::uint64_t sequence) {
    if (session != session_ || sequence <= newest_) return std::nullopt;
    newest_ = sequence;
    return ++number_;
  }

 private:
  std::uint64_t session_ = 0;
  std::uint64_t newest_ = 0;  // sequence, of this session
  std::uint64_t number_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_SESSION_ANNOUNCEMENT_ORDER_H_
