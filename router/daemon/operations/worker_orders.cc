#include "router/daemon/operations/worker_orders.h"

#include "absl/strings/str_cat.h"

namespace ringway::router {
namespace {

std::string ErrorOf(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return absl::StrCat("it cannot be reached: ", status.error_message());
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::StrCat("it has not answered within ", WorkerOrders::kOrderLimit.count(), " s");
    case grpc::StatusCode::CANCELLED:
      return "the order was broken off; the worker may have it or not";
    default:
      return status.error_message();
  }
}

}  // namespace

void WorkerOrders::Send(const v1::DrainRequest& order, const std::vector<OrderedWorker>& workers) {
  const auto deadline = std::chrono::system_clock::now() + kOrderLimit;
  {
    const std::lock_guard lock(mutex_);
    order_ = order;
    reply_.mutable_workers()->Reserve(static_cast<int>(workers.size()));
    for (const OrderedWorker& worker : workers) {
      Order& made = orders_.emplace_back();
      made.context.set_deadline(deadline);
      made.row = reply_.add_workers();
      made.row->set_name(worker.name);
      made.row->set_address(worker.address);
      if (cancelled_) made.context.TryCancel();
    }
    missing_ = workers.size() + 1;  // and this function
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    Order& made = orders_[i];
    if (workers[i].stub == nullptr) {
      made.row->set_error("a plain HTTP server takes no orders; take it out of the pool's file");
      CountDown();
      continue;
    }
    workers[i].stub->async()->Drain(&made.context, &order_, &made.state,
                                    [this, &made](const grpc::Status& status) { OnAnswered(made, status); });
  }
  CountDown();
}

// The operator has left, or the server is being shut down.
void WorkerOrders::OnCancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (Order& order : orders_) order.context.TryCancel();
}

void WorkerOrders::OnAnswered(const Order& order, const grpc::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    order.row->set_done(status.ok());
    if (status.ok()) {
      order.row->set_job(order.state.request_id());
      order.row->set_draining(order.state.draining());
    } else {
      order.row->set_error(ErrorOf(status));
    }
  }
  CountDown();
}

void WorkerOrders::CountDown() {
  {
    const std::lock_guard lock(mutex_);
    if (--missing_ > 0) return;
  }
  Finish(grpc::Status::OK);
}

}  // namespace ringway::router
