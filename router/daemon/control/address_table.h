// Names and addresses of workers and routers, the numbers the machine knows them by, and the way to reach
// them.
//
// A worker is its address (the directory and --worker may both name it), a router its name. Numbers are never
// given away twice, so what arrives late for somebody who left can only mean him. A channel is made when
// somebody is first called, and goes when he is no longer listed: a router keeps as many as it has peers, not
// as many as were ever named to it.
//
// Bounds: kEntriesMax of each, over the life of the process. Workers: kNewWorkersBurst at once, and
// kNewWorkersPerSecond after that, so that addresses that change with every report do not use up the numbers
// in a minute. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_ADDRESS_TABLE_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_ADDRESS_TABLE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/ids.h"
#include "core/time.h"
#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/once.grpc.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "router/daemon/operations/page_reader.h"

namespace ringway::router {

struct KnownWorker {
  std::string address;
  std::string name;                       // as the directory says; empty: it says nothing
  bool said_draining = false;             // by the directory
  bool reachable = false;                 // its watch stream is whole
  Time since = InfinitePast();            // it has been as it is, as far as was seen
  std::string tier;                       // as the directory or the worker itself says; empty: not known yet
  v1::WorkerState state;                  // the newest news; wire_version 0: none yet
  std::map<std::string, double> metrics;  // from its page, by name
  Time metrics_read = InfinitePast();
  std::unique_ptr<PageReader> page;        // of a worker that this router speaks for
  std::shared_ptr<v1::Worker::Stub> stub;  // null: not called yet
};

struct KnownRouter {
  std::string name;
  std::string region;
  std::string address;
  bool listed = false;                   // in the newest directory
  std::shared_ptr<v1::Peer::Stub> peer;  // null: not called yet
  std::unique_ptr<v1::Once::Stub> once;
};

class AddressTable {
 public:
  static constexpr std::size_t kEntriesMax = 65536;
  static constexpr double kNewWorkersBurst = 8192;
  static constexpr double kNewWorkersPerSecond = 0.2;

  // `token`: presented to whoever is called; empty: none.
  explicit AddressTable(std::string token = {}) : token_(std::move(token)) {}
  const std::string& token() const { return token_; }
  // A channel to a program of the fleet.
  std::shared_ptr<grpc::Channel> Dial(const std::string& address) const;

  // `local`: the operator named it. Invalid when the table is full, or too many new ones came.
  WorkerId WorkerAt(const std::string& address, Time now, bool local = false);
  // Invalid: never heard of.
  WorkerId FindWorker(const std::string& address) const;
  // Invalid when the table is full. One that is new has no address yet.
  RouterId RouterNamed(const std::string& name);
  // Invalid: never named.
  RouterId FindRouter(const std::string& name) const;
  // Where it is reached; a router that moved gets a new channel.
  void Move(RouterId id, const std::string& address);

  // The ways to call them. Whoever may call once more later shares the stub.
  const std::shared_ptr<v1::Worker::Stub>& WorkerStub(WorkerId id);
  const std::shared_ptr<v1::Peer::Stub>& PeerStub(RouterId id);
  v1::Once::Stub& OnceStub(RouterId id);
  // Nobody lists it any more. Calls under way go on.
  void HangUp(WorkerId id) { workers_[id]->stub.reset(); }
  void HangUp(RouterId id);

  KnownWorker& worker(WorkerId id) { return *workers_[id]; }
  KnownRouter& router(RouterId id) { return *routers_[id]; }
  const IdVector<WorkerId, std::unique_ptr<KnownWorker>>& workers() const { return workers_; }
  const IdVector<RouterId, std::unique_ptr<KnownRouter>>& routers() const { return routers_; }

 private:
  const std::string token_;
  IdVector<WorkerId, std::unique_ptr<KnownWorker>> workers_;
  IdVector<RouterId, std::unique_ptr<KnownRouter>> routers_;
  std::map<std::string, WorkerId> workers_by_address_;
  std::map<std::string, RouterId> routers_by_name_;
  double new_workers_ = kNewWorkersBurst;  // that may come now
  Time counted_at_ = InfinitePast();
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_ADDRESS_TABLE_H_
