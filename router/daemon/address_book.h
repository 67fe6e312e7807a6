// Names and addresses of workers and routers, the numbers the machine knows them by, and the way to reach
// them.
//
// A worker is its address (the directory and --worker may both name it), a router its name. Numbers are never
// given away twice, so what arrives late for somebody who left can only mean him. Channels connect lazily and
// reconnect by themselves.
//
// Bounds: kEntriesMax of each, over the life of the process. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_ADDRESS_BOOK_H_
#define RINGWAY_ROUTER_DAEMON_ADDRESS_BOOK_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/ids.h"
#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/once.grpc.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/page_reader.h"

namespace ringway::router {

struct KnownWorker {
  std::string address;
  bool beside = false;     // named by --worker
  bool in_region = false;  // in the newest directory
  bool adopted = false;    // the directory names this router in place of the one beside it, which is gone
  bool in_pool = false;    // a plain HTTP server, listed in the pool's file
  bool unwell = false;     // its health check says so
  std::string tier;        // as the directory or the worker itself says; empty: not known yet
  v1::WorkerState state;   // the newest news; wire_version 0: none yet
  absl::Time heard = absl::InfinitePast();  // when the newest news came
  double busy_s_reported = 0;
  std::map<std::string, double> metrics;  // from its page, by name
  absl::Time metrics_read = absl::InfinitePast();
  std::unique_ptr<PageReader> page;  // of a worker beside
  std::unique_ptr<v1::Worker::Stub> stub;
};

struct KnownRouter {
  std::string name;
  std::string region;
  std::string address;
  bool listed = false;  // in the newest directory
  std::unique_ptr<v1::Peer::Stub> stub;
  std::unique_ptr<v1::Once::Stub> once;
};

class AddressBook {
 public:
  static constexpr std::size_t kEntriesMax = 65536;

  // Invalid when the book is full.
  WorkerId WorkerAt(const std::string& address, bool speaks_grpc = true);
  // Invalid: never heard of.
  WorkerId FindWorker(const std::string& address) const;
  // A router that moved gets a new channel. Invalid when the book is full.
  RouterId RouterNamed(const std::string& name, const std::string& address);

  KnownWorker& worker(WorkerId id) { return *workers_[id]; }
  KnownRouter& router(RouterId id) { return *routers_[id]; }
  const IdVector<WorkerId, std::unique_ptr<KnownWorker>>& workers() const { return workers_; }
  const IdVector<RouterId, std::unique_ptr<KnownRouter>>& routers() const { return routers_; }

 private:
  IdVector<WorkerId, std::unique_ptr<KnownWorker>> workers_;
  IdVector<RouterId, std::unique_ptr<KnownRouter>> routers_;
  std::map<std::string, WorkerId> workers_by_address_;
  std::map<std::string, RouterId> routers_by_name_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_ADDRESS_BOOK_H_
