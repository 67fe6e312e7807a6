// The dashboard's documents as JSON text: what GET /api/v1/... answers and what the live stream sends.
//
// Regions and tiers have their names; times are milliseconds of the Unix epoch; rates are requests per
// second, loads and shares are fractions; what is not known is null. docs/dashboard.md lists the fields.
// Documents that change every epoch (fleet) are small and whole: whoever misses one needs only the next. The
// others carry a number that the fleet document repeats, so that a reader knows when to ask again.
//
// Lists that grow with the fleet come in pages of at most kPageMax lines, and count what is left out.
//
// Pure; each is linear in what it lists, that of the workers also sorts those of its region. Errors: NotFound
// (tier or region), as a sentence for a person.
#ifndef RINGWAY_CONTROLLER_SCREEN_DOCUMENTS_H_
#define RINGWAY_CONTROLLER_SCREEN_DOCUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controller/machine.h"
#include "controller/screen/event_log.h"
#include "controller/screen/outcomes.h"
#include "controller/screen/picture.h"
#include "controller/screen/timeline.h"
#include "core/time.h"

namespace ringway::controller {

// The machine, and when this is.
struct ScreenView {
  const ControllerMachine& machine;
  Time now;   // monotonic, the machine's
  Time wall;  // for people
};

inline constexpr std::size_t kPageMax = 500;
struct ListPage {
  std::size_t from = 0;          // lines that are passed over
  std::size_t limit = kPageMax;  // at most kPageMax
};

// Regions (place, title) and tiers (threshold, rings, priorities): what changes with the topology or an order
// only.
std::string WorldDocument(const ScreenView& view);
// Everything that moves: each region of each tier, sums, versions, the newest numbers of the other documents.
std::string FleetDocument(const ScreenView& view, const FleetPicture& picture, const EventLog& events,
                          const Timeline& timeline, const Outcomes& outcomes, Duration uptime);
// The table in force, or "version": null. A row that is not listed stays home.
std::string TableDocument(const ScreenView& view);
// Newest first, those above `after`.
std::string EventsDocument(const EventLog& events, std::uint64_t after);
absl::StatusOr<std::string> TimelineDocument(const ScreenView& view, const Timeline& timeline,
                                             std::string_view tier);
// One region of a tier: its rings with who is in them, and why its rows are as they are.
absl::StatusOr<std::string> RegionDocument(const ScreenView& view, std::string_view tier,
                                           std::string_view region);
// Who works in a region, as its routers said last: state, how busy, which router speaks for it. By name, each
// once. An empty tier: of all.
absl::StatusOr<std::string> WorkersDocument(const ScreenView& view, std::string_view tier,
                                            std::string_view region, const ListPage& page);
// The routers of a region (empty: of all) by name: whether they are here, and which table they hold since
// when.
absl::StatusOr<std::string> RoutersDocument(const ScreenView& view, std::string_view region,
                                            const ListPage& page);
// What operators have ordered of a tier (empty: of each) and what counts after the end of each order that has
// one. Drains in part and orders for good included.
absl::StatusOr<std::string> OrdersDocument(const ScreenView& view, std::string_view tier);

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_DOCUMENTS_H_
