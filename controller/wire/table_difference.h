// What is different between two routing tables of one tier: which rows, by how much, and how much traffic
// that is.
//
// Works on messages, by name, so that tables of different topologies can be compared. A row that a table does
// not hold means: stay home. A share that moves less than kShareSame is not a difference. Traffic is what the
// caller says that each source asks for now; a row's moved share is half the sum of what its entries differ
// by (the total variation distance), so a row that goes wholly elsewhere has moved by 1. Where nobody asks
// for anything every row counts the same.
//
// Pure; n log n in the routes of the rows that differ, linear in all others.
#ifndef RINGWAY_CONTROLLER_WIRE_TABLE_DIFFERENCE_H_
#define RINGWAY_CONTROLLER_WIRE_TABLE_DIFFERENCE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ringway/v1/fleet.pb.h"

namespace ringway::controller {

inline constexpr double kShareSame = 1e-9;

struct RouteMove {
  std::string source;
  std::string priority;
  std::string target;  // empty: refused
  double before = 0;   // shares of the row
  double after = 0;
  double moved_rps = 0;                            // negative: less goes there
  v1::RouteReason reason = v1::ROUTE_REASON_HOME;  // of `after`, else of `before`
};

struct TierDifference {
  std::vector<RouteMove> moves;  // the largest traffic first
  std::size_t rows = 0;          // that differ
  double demand_rps = 0;
  double moved_rps = 0;
  double moved_share = 0;  // of the demand; where nobody asks, of the rows
};

// Requests a second of a source and priority.
using DemandOf = std::function<double(std::string_view region, std::string_view priority)>;

TierDifference Difference(const v1::RoutingTable& before, const v1::RoutingTable& after,
                          std::string_view tier, const DemandOf& demand);

// The largest move, for people: "paris -> oslo 12 % -> 40 % (overload)". Empty where nothing moved.
std::string LargestMove(const TierDifference& difference);

// The same regions, tiers and priorities in the same order: indexes mean the same.
bool SameNames(const v1::RoutingTable& a, const v1::RoutingTable& b);
bool SameRow(const v1::Row& a, const v1::Row& b);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_WIRE_TABLE_DIFFERENCE_H_
