// From the workers that an operator lists to the addresses that they stand for, now and later.
//
// An address stands for itself; a name stands for each address that it resolves to, each being one worker.
// Names are resolved when the list is set and every kAgain after that, off the loop's thread. A name that
// cannot be resolved keeps the addresses that it had: a directory that is down takes nobody out. `changed` is
// called with the whole list after each round that changed it.
//
// Bounds: kAddressesMax for one name. Threads: the loop's.
#ifndef RINGWAY_ROUTER_HTTP_POOL_WORKERS_H_
#define RINGWAY_ROUTER_HTTP_POOL_WORKERS_H_

#include <utility>  // before Boost

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/log.h"

namespace ringway::router {

struct NamedWorker {
  std::string name;  // address:port, the same at every router that has the same list
  boost::asio::ip::tcp::endpoint endpoint;
  friend bool operator==(const NamedWorker&, const NamedWorker&) = default;
};

class PoolWorkers {
 public:
  static constexpr std::size_t kAddressesMax = 1024;
  static constexpr Duration kAgain = Seconds(10);
  using Changed = std::function<void(const std::vector<NamedWorker>&)>;

  PoolWorkers(runtime::EventLoop& loop, const runtime::Logger& log, Changed changed);
  ~PoolWorkers();

  // host:port each, checked by the caller. Addresses count at once, names when they are resolved.
  void Set(const std::vector<std::string>& workers);

 private:
  void Resolve();
  void Publish();

  const runtime::Logger& log_;
  const Changed changed_;
  boost::asio::ip::tcp::resolver resolver_;
  runtime::Alarm again_;
  std::vector<std::string> listed_;
  std::map<std::string, std::vector<NamedWorker>> known_;  // by what was listed
  std::vector<NamedWorker> published_;
  std::size_t pending_ = 0;
  std::uint64_t round_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_HTTP_POOL_WORKERS_H_
