// What other processes send over gRPC: the first byte says which message the rest is.
//
// t: a routing table; p: a record of the table history, after one that holds the table whole; f: the fleet's
// map; j: a job's header; h and r: a router's hello and report; e: an event of the controller's journal; c, d
// and o: an operator's orders to a router, to cancel a job and to drain workers, and what a router tells of
// one. Reading never crashes; what is let through keeps what its readers rely on, and can be said and read
// again unchanged.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "controller/journal/event_codec.h"
#include "controller/tiers/table_remap.h"
#include "controller/wire/past_table.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "controller/wire/table_difference.h"
#include "core/check.h"
#include "proto/fleet_codec.h"
#include "proto/job_codec.h"
#include "proto/operations_codec.h"
#include "proto/table_codec.h"
#include "tests/proto/two_regions.h"

namespace ringway {
namespace {

// What is no message gRPC has refused already; its beginning is as good a message as any.
template <class Message>
Message Read(std::string_view bytes) {
  Message message;
  (void)message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
  return message;
}

void Table(std::string_view bytes, const Fleet& fleet) {
  const auto table = wire::DecodeTable(Read<v1::RoutingTable>(bytes), fleet);
  if (!table.ok()) {
    RINGWAY_CHECK(!table.status().message().empty());
    return;
  }
  for (const TierTable& tier : table->tiers) {
    for (Priority priority = 0; priority < 2; ++priority) {
      for (std::size_t source = 0; source < 2; ++source) {
        const Row& row = tier.at(priority, RegionId(source));
        double sum = row.shed_fraction;
        for (const auto& route : row.routes) {
          RINGWAY_CHECK(fleet.world.regions.contains(route.target) && route.fraction >= 0);
          sum += route.fraction;
        }
        RINGWAY_CHECK(std::abs(sum - 1) < 1e-6);
      }
    }
  }
  const auto again = wire::DecodeTable(wire::EncodeTable(*table, fleet), fleet);
  RINGWAY_CHECK(again.ok() && again->tiers == table->tiers && again->version == table->version);
}

void Map(std::string_view bytes) {
  const auto fleet = wire::DecodeFleet(Read<v1::FleetMap>(bytes));
  if (!fleet.ok()) {
    RINGWAY_CHECK(!fleet.status().message().empty());
    return;
  }
  RINGWAY_CHECK(fleet->world.rtt.regions() == fleet->world.regions.size());
  for (const Tier& tier : fleet->tiers) RINGWAY_CHECK(tier.regions.size() == fleet->world.regions.size());
  RINGWAY_CHECK(wire::DecodeFleet(wire::EncodeFleet(*fleet)).ok());
}

void Job(std::string_view bytes) {
  const auto header = Read<v1::JobHeader>(bytes);
  if (!wire::CheckJobHeader(header).ok()) return;
  RINGWAY_CHECK(header.tier().size() <= wire::kNameBytesMax &&
                header.request_id().size() <= wire::kNameBytesMax);
  RINGWAY_CHECK(header.prompt().size() <= wire::kPromptBytesMax && header.hops() <= wire::kHopsMax);
}

void Hello(std::string_view bytes, const Fleet& fleet) {
  const auto hello = controller::DecodeHello(Read<v1::Hello>(bytes), fleet);
  if (hello.ok()) RINGWAY_CHECK(controller::DecodeHello(controller::EncodeHello(*hello, fleet), fleet).ok());
}

void Report(std::string_view bytes, const Fleet& fleet) {
  const auto report = controller::DecodeReport(Read<v1::Report>(bytes), fleet);
  if (report.ok())
    RINGWAY_CHECK(controller::DecodeReport(controller::EncodeReport(*report, fleet), fleet).ok());
}

// What is told of an order that is allowed, whatever names it has, is taken by the controller.
void CheckTold(const v1::Operator& by, const std::string& action) {
  for (const char c : action) RINGWAY_CHECK(c >= 0x20 && c <= 0x7e);
  v1::OrderDone order;
  order.set_id("r/1.1");
  order.set_who(by.who().empty() ? "somebody" : by.who());
  order.set_why(by.why());
  order.set_action(action);
  RINGWAY_CHECK(wire::CheckOrderDone(order).ok());
}

void Cancel(std::string_view bytes) {
  const auto request = Read<v1::CancelRequest>(bytes);
  const absl::Status allowed = wire::CheckCancel(request);
  if (!allowed.ok()) {
    RINGWAY_CHECK(!allowed.message().empty());
    return;
  }
  RINGWAY_CHECK(!request.job().empty());
  CheckTold(request.by(), wire::ActionOf(request));
}

void DrainWorkers(std::string_view bytes) {
  const auto request = Read<v1::DrainWorkersRequest>(bytes);
  const auto term = wire::CheckDrainWorkers(request);
  if (!term.ok()) {
    RINGWAY_CHECK(!term.status().message().empty());
    return;
  }
  RINGWAY_CHECK(request.worker().empty() != request.host().empty());
  RINGWAY_CHECK(*term >= ZeroDuration() && (request.drain() || *term == InfiniteDuration()));
  // Workers have names that came over the wire, too.
  CheckTold(request.by(), wire::ActionOf(request, {request.worker(), request.host(), std::string(bytes)}));
  CheckTold(request.by(), wire::ActionOf(request, std::vector<std::string>(256, std::string(bytes))));
}

void OrderDone(std::string_view bytes) {
  const auto order = Read<v1::OrderDone>(bytes);
  const absl::Status taken = wire::CheckOrderDone(order);
  if (!taken.ok()) {
    RINGWAY_CHECK(!taken.message().empty());
    return;
  }
  RINGWAY_CHECK(!order.id().empty() && !order.who().empty() && !order.action().empty());
  RINGWAY_CHECK(order.action().size() <= wire::kActionBytesMax && order.why().size() <= wire::kWhyBytesMax);
}

void JournaledEvent(std::string_view bytes, const Fleet& fleet) {
  const auto read_fleet = [&fleet](const std::string&) {
    return absl::StatusOr<std::shared_ptr<const Fleet>>(std::make_shared<const Fleet>(fleet));
  };
  const auto event = controller::DecodeEvent(Read<v1::JournalRecord>(bytes), fleet, read_fleet);
  if (!event.ok()) return;
  const auto record = controller::EncodeEvent(UnixEpoch(), *event, fleet);
  RINGWAY_CHECK(controller::DecodeEvent(record, fleet, read_fleet).ok());
}

void Past(std::string_view bytes, const Fleet& fleet) {
  RoutingTable home;
  for (TierId id(0); id != fleet.tiers.end_id(); id = TierId(id.index() + 1)) {
    home.tiers.push_back(HomeTable(id, fleet.world.regions.size(), fleet.tiers[id].priorities.size()));
  }
  v1::RoutingTable table = controller::EncodeWholeTable(home, fleet);
  const auto record = Read<v1::PastTable>(bytes);
  (void)controller::CheckFirst(record);
  if (!controller::Advance(record, table).ok()) return;
  const auto under = controller::DecodeUnder(table, fleet);
  if (!under.ok()) return;
  RINGWAY_CHECK(under->tiers.size() == fleet.tiers.size());
  for (const TierTable& tier : under->tiers) {
    for (Priority priority = 0; priority < tier.priorities(); ++priority) {
      for (std::size_t source = 0; source < tier.regions(); ++source) {
        const Row& row = tier.at(priority, RegionId(source));
        double sum = row.shed_fraction;
        for (const auto& route : row.routes) {
          RINGWAY_CHECK(controller::MaySend(fleet.tiers[tier.tier()], RegionId(source), route.target));
          sum += route.fraction;
        }
        RINGWAY_CHECK(std::abs(sum - 1) < 1e-6);
      }
    }
  }
  for (const Tier& tier : fleet.tiers) {
    (void)controller::Difference(controller::EncodeWholeTable(home, fleet), table, tier.name,
                                 [](std::string_view, std::string_view) { return 1.0; });
  }
}

}  // namespace
}  // namespace ringway

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace ringway;
  static const Fleet fleet = TwoRegions();
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0]) {
    case 't':
      Table(rest, fleet);
      break;
    case 'f':
      Map(rest);
      break;
    case 'j':
      Job(rest);
      break;
    case 'e':
      JournaledEvent(rest, fleet);
      break;
    case 'p':
      Past(rest, fleet);
      break;
    case 'h':
      Hello(rest, fleet);
      break;
    case 'c':
      Cancel(rest);
      break;
    case 'd':
      DrainWorkers(rest);
      break;
    case 'o':
      OrderDone(rest);
      break;
    case 'r':
      Report(rest, fleet);
      break;
    default:
      break;
  }
  return 0;
}
