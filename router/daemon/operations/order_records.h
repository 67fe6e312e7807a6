// What operators had this router do, on its way into the controller's audit log.
//
// Orders to single jobs and workers reach routers directly, also while no controller answers. Each is kept
// here until a controller says that it has it, and told in every report until then, so a lost connection
// loses and repeats nothing: an order has an id, by which the controller knows it again. A controller of an
// earlier release does not say that it records orders, and is told of none. Whoever gives one order to
// several routers names it (Operator.order); parts that are the same at each of them then are one entry.
//
// Bounds: kKept orders; the oldest makes room, with a line in the log, which has had every order anyway. A
// router that ends takes with it what no controller has heard. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_ORDER_RECORDS_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_ORDER_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "core/time.h"
#include "ringway/v1/control.pb.h"
#include "ringway/v1/operations.pb.h"
#include "runtime/log.h"

namespace ringway::router {

class OrderRecords {
 public:
  static constexpr std::size_t kKept = 256;
  // Whether another router that was given the order would tell of it in the same words.
  enum class Part { kSameEverywhere, kOwn };

  // Without a controller nobody is told, and nothing is kept.
  OrderRecords(std::string router, std::uint64_t incarnation, bool controlled, const runtime::Logger& log);

  void Add(const v1::Operator& by, Part part, std::string action, Time at);
  // `records`: as the controller's Welcome says.
  void Welcomed(bool records) { told_ = records; }
  void Report(v1::Report& report) const;
  // Up to this number.
  void Recorded(std::uint64_t number);
  std::size_t size() const { return orders_.size(); }

 private:
  const std::string router_;
  const std::uint64_t incarnation_;
  const bool controlled_;
  const runtime::Logger& log_;
  bool told_ = false;
  std::uint64_t last_ = 0;
  std::deque<v1::OrderDone> orders_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_ORDER_RECORDS_H_
