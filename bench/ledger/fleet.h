// The fleet under measurement: a controller and 16 routers as processes, and two tiers of 64 workers each.
//
// Both tiers are served by the same routers in one region, four workers of each tier beside every router; one
// is dispatched by ledger, the other by probes. Routers watch only the workers beside them; the leader
// watches all of its tier. Everything ends with the object.
#ifndef RINGWAY_BENCH_LEDGER_FLEET_H_
#define RINGWAY_BENCH_LEDGER_FLEET_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/ledger/farm.h"
#include "tests/live/daemon_process.h"

namespace ringway::bench {

inline constexpr char kLedgered[] = "ledgered";
inline constexpr char kProbed[] = "probed";
inline constexpr int kRouters = 16;
inline constexpr int kWorkers = 64;  // of each tier
inline constexpr Duration kService = Milliseconds(300);
inline constexpr double kCapacityRps = kWorkers / 0.3;  // of each tier

struct Leader {
  std::string router;  // empty: nobody
  std::uint64_t epoch = 0;
  std::uint64_t appointment = 0;
  friend auto operator<=>(const Leader&, const Leader&) = default;
};

class Fleet {
 public:
  Fleet();

  // Every router is there and hears the leader, which knows all slots. False: not within 20 s.
  bool AwaitReady();
  // As the controller says.
  Leader LedgerLeader() const;
  // The router holds the ledger and has granted slots since it was appointed.
  bool Grants(const std::string& router) const;
  live::DaemonProcess& router(const std::string& name) { return *routers_.at(name); }
  // All but one router; empty name: all.
  std::vector<std::string> Doors(const std::string& without = "") const;
  Farm& ledgered() { return ledgered_; }
  Farm& probed() { return probed_; }

 private:
  Farm ledgered_;
  Farm probed_;
  live::ScratchFolder folder_;
  std::unique_ptr<live::DaemonProcess> controller_;
  std::map<std::string, std::unique_ptr<live::DaemonProcess>> routers_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_LEDGER_FLEET_H_
