// Reads one HTTP page again and again: the /metrics page of a worker beside this router.
//
// One request at a time, each on a fresh connection, given up after kPatience; a page above kPageBytesMax is
// not read. What a worker cannot tell in time is simply old: whoever uses the page sees its age.
//
// Threads: everything on the loop. May be destroyed at any time; a request under way then ends unheard.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_PAGE_READER_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_PAGE_READER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/http/client_call.h"

namespace ringway::router {

class PageReader {
 public:
  static constexpr Duration kPatience = Seconds(1);
  static constexpr std::size_t kPageBytesMax = std::size_t{4} << 20;

  // `take` gets the body of each page that was read whole.
  PageReader(runtime::EventLoop& loop, std::function<void(const std::string& body)> take)
      : loop_(loop), take_(std::move(take)) {}

  // Begins a request unless one is under way. `address` is host:port.
  void Read(const std::string& address);

 private:
  runtime::EventLoop& loop_;
  std::function<void(const std::string&)> take_;
  std::optional<http::ClientCall> call_;  // nothing: none under way
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_PAGE_READER_H_
