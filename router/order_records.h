// What operators had this router do, on its way into the controller's audit log.
//
// Orders to single jobs and workers reach routers directly, also while no controller answers. Each is kept
// here until a controller says that it has it, and told with every report until then, so a lost connection
// loses and repeats nothing: an order has an id, by which the controller knows it again
// (controller/controller_node.h). A controller of an earlier release does not say that it records orders, and
// is told of none. Whoever gives one order to several routers names it; parts that are the same at each of
// them then are one entry.
//
// Bounds: kKept orders, of which the oldest makes room; kTold of them in one report, the oldest first. A
// router that ends takes with it what no controller has heard. The daemon and the simulator run this same
// class; values, one owner.
#ifndef RINGWAY_ROUTER_ORDER_RECORDS_H_
#define RINGWAY_ROUTER_ORDER_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace ringway::router {

// As the operator signed it.
struct OrderGiven {
  // Whether another router that was given the order would tell of it in the same words.
  enum class Part : std::uint8_t { kSameEverywhere, kOwn };
  std::string who = {};
  std::string why = {};
  std::string name = {};  // of the order, where several routers are given it; else empty
  Part part = Part::kOwn;
  std::string action = {};
};

struct OrderDone {
  std::uint64_t number = 0;  // rises in the life of the router
  std::string id = {};
  Time at;  // by the wall clock
  std::string who = {};
  std::string why = {};
  std::string action = {};
};

class OrderRecords {
 public:
  static constexpr std::size_t kKept = 256;
  static constexpr std::size_t kTold = 16;

  // Without a controller nobody is told, and nothing is kept.
  OrderRecords(std::string router, std::uint64_t incarnation, bool controlled);

  // The order that has made room for it, if one has: no controller will hear of that one.
  std::optional<OrderDone> Add(OrderGiven given, Time at);
  // `records`: as the controller says that welcomes the router.
  void Welcomed(bool records) { told_ = records; }
  // What goes with the next report.
  std::vector<OrderDone> Told() const;
  // Up to this number.
  void Recorded(std::uint64_t number);
  const std::deque<OrderDone>& orders() const { return orders_; }

 private:
  const std::string router_;
  const std::uint64_t incarnation_;
  const bool controlled_;
  bool told_ = false;
  std::uint64_t last_ = 0;
  std::deque<OrderDone> orders_;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_ORDER_RECORDS_H_
