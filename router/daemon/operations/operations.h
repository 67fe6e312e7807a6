// What operators see of single jobs and workers at this router, and what their orders mean here.
//
// Lists are made from what the router was told: the newest news of each worker that it follows, the jobs that
// it holds, and where the machine has them. An order is turned into what others already do: a cancelled job
// is one that nobody waits for any more, and a drain is the worker's own (Worker.Drain). Nothing is decided
// here about where jobs go.
//
// Bounds: kJobsListed jobs in a list, kOrderedMax workers in an order. Complexity: linear in what is known.
// Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ringway/v1/operations.pb.h"
#include "router/daemon/control/address_table.h"
#include "router/daemon/jobs/job_calls.h"
#include "router/daemon/operations/worker_orders.h"
#include "router/daemon/settings.h"
#include "router/order_records.h"
#include "router/router_machine.h"
#include "router/worker_registry.h"
#include "runtime/log.h"

namespace ringway::router {

// What the operations need of the router around them; outlives them.
struct OperationsView {
  const Settings& settings;
  const KnownFleet& fleet;
  AddressTable& addresses;
  const WorkerRegistry& registry;
  const RouterMachine& machine;
  JobCalls& calls;
  OrderRecords& orders;
  const runtime::Logger& log;
};

class Operations {
 public:
  static constexpr std::size_t kJobsListed = 4096;
  static constexpr std::size_t kOrderedMax = 256;

  explicit Operations(const OperationsView& view) : view_(view) {}

  v1::ListWorkersReply ListWorkers(const v1::ListWorkersRequest& request) const;
  v1::ListJobsReply ListJobs(const v1::ListJobsRequest& request) const;
  // Errors: InvalidArgument, NotFound.
  absl::StatusOr<v1::CancelReply> Cancel(const v1::CancelRequest& request);
  // Whom the order concerns. Errors: InvalidArgument, NotFound.
  absl::StatusOr<std::vector<OrderedWorker>> WorkersOf(const v1::DrainWorkersRequest& request);
  // What the controller has yet to record.
  static void FillOrders(const OrderRecords& orders, v1::Report& report);

 private:
  // In the region, or of the pool; `own`: only those that this router speaks for.
  bool Shown(WorkerId id, bool own) const;
  std::string NameOf(const KnownWorker& worker) const;
  std::string_view StateOf(WorkerId id) const;
  void Fill(WorkerId id, v1::WorkerListing& row) const;
  void Fill(const JobSeen& seen, v1::JobListing& row) const;
  void Record(const v1::Operator& by, OrderGiven::Part part, std::string action);

  const OperationsView view_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_OPERATIONS_H_
