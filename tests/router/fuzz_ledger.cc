// Any bytes: reading a ledger message never crashes, and what it lets through can be said again unchanged.
#include <cstddef>
#include <cstdint>

#include "core/check.h"
#include "tests/router/two_workers.h"

namespace ringway::router {
namespace {

const Time kNow = FromUnixSeconds(5000);

void ReadUp(const v1::LedgerUp& message) {
  (void)DecodeGreeting(message);
  static const Fleet fleet = FleetOfTwo();
  const TierId tier(0);
  const TwoWorkers names;
  const auto event = DecodeUp(kNow, message, RouterId(1), fleet, tier, names);
  if (!event.ok()) {
    RINGWAY_CHECK(!event.status().message().empty());
    return;
  }
  const auto again =
      DecodeUp(kNow, EncodeUp(kNow, *event, fleet, tier, names), RouterId(1), fleet, tier, names);
  RINGWAY_CHECK(again.ok() && again->index() == event->index());
  if (const auto* ask = std::get_if<ledger::Acquire>(&*event)) {
    RINGWAY_CHECK(ask->priority < 2 && ask->key.generation != 0);
    RINGWAY_CHECK(ask->arrived <= kNow && ask->deadline >= kNow && ask->expected >= ZeroDuration());
    RINGWAY_CHECK(std::get<ledger::Acquire>(*again).key == ask->key);
  }
}

void ReadDown(const v1::LedgerDown& message) {
  static const World world = FleetOfTwo().world;
  const TwoWorkers names;
  const auto action = DecodeDown(message, RouterId(1), world, names);
  if (!action.ok()) {
    RINGWAY_CHECK(!action.status().message().empty());
    return;
  }
  const auto again = DecodeDown(EncodeDown(*action, world, names), RouterId(1), world, names);
  RINGWAY_CHECK(again.ok() && again->index() == action->index());
}

}  // namespace
}  // namespace ringway::router

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ringway::v1::LedgerUp up;
  if (up.ParseFromArray(bytes, static_cast<int>(size))) ringway::router::ReadUp(up);
  ringway::v1::LedgerDown down;
  if (down.ParseFromArray(bytes, static_cast<int>(size))) ringway::router::ReadDown(down);
  return 0;
}
