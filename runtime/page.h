// A page for probes and people: a function that makes a whole reply of a moment's state.
//
// Metrics, health and readiness are pages; whoever serves HTTP calls them on its own thread, so a page must
// be quick and thread-safe towards the rest of the daemon. What a page says is never cached.
//
// Threads: as the page says; the values are plain.
#ifndef RINGWAY_RUNTIME_PAGE_H_
#define RINGWAY_RUNTIME_PAGE_H_

#include <functional>
#include <string>

namespace ringway::runtime {

struct HttpReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

using Page = std::function<HttpReply()>;

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_PAGE_H_
