// The tables that were in force, for days: on disk, so that a restart and a kill -9 forget none of them.
//
// Three levels in `<state-dir>/history/`: every table (half of the bytes), the last of each minute and the
// last of each hour (a quarter each; history_level.h). Noise alone can make a table a second, and that must
// not push out the table of yesterday noon. What is looked for is looked for in all of them.
//
// Tables are kept by name and by the wall clock at which they came into force; whoever reads one puts it
// under the topology that is loaded (past_table.h). All disk work, writing and searching, is done by a thread
// of its own, so that neither planning nor routers wait for it; what was asked first is done first, so a
// search sees every table that came before it. A table that cannot be written is missing, is counted, and
// stops nobody; of more than kPendingMax that wait for a slow disk the rest is dropped. Survives the death of
// the process, not that of the machine.
//
// Threads: Add and the questions from any; answers come on the store's thread. Stop before what they use
// goes.
#ifndef RINGWAY_CONTROLLER_DAEMON_HISTORY_STORE_H_
#define RINGWAY_CONTROLLER_DAEMON_HISTORY_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "controller/wire/table_difference.h"
#include "core/fleet.h"
#include "core/snapshot.h"
#include "core/table.h"
#include "core/time.h"
#include "ringway/v1/history.pb.h"
#include "runtime/log.h"

namespace ringway::controller {

struct HistoryLimits {
  std::uint64_t total_bytes_max = std::uint64_t{64} << 20;
  Duration age_max = Hours(24 * 7);
};

// What every region of every tier asks for at one moment.
struct TrafficNow {
  std::shared_ptr<const Fleet> fleet;
  IdVector<TierId, IdVector<RegionId, PerPriority<double>>> demand_rps;
  // Of regions and priorities that do not exist: 0.
  DemandOf Of(std::string_view tier) const;
};

// A table that came into force.
struct TableInForce {
  std::shared_ptr<const RoutingTable> table;
  TrafficNow traffic;  // `traffic.fleet` gives the table's ids their names
  Time at;             // by the wall clock
  std::string cause;
};

struct HistoryQuery {
  std::string tier;  // empty: all
  Time since = InfinitePast();
  Time until = InfiniteFuture();
  std::size_t limit = 50;
};

class HistoryStore {
 public:
  static constexpr std::size_t kPendingMax = 256;
  static constexpr std::size_t kListMax = 10000;

  struct Listed {
    std::vector<v1::PastTable> tables;  // newest first, without rows
    std::vector<std::string> notes;
  };
  using Found = absl::AnyInvocable<void(std::optional<v1::PastTable>)>;

  // `told` hears of every write and how it ended, on the store's thread; of one that is dropped on the
  // caller's.
  HistoryStore(std::string directory, const HistoryLimits& limits, runtime::Logger log,
               std::function<void(bool)> told);
  ~HistoryStore();

  void Add(TableInForce came);
  // Answers false at once, and calls nobody, when the store has stopped or has too much to do.
  [[nodiscard]] bool Find(TableVersion version, Found answer);
  [[nodiscard]] bool FindAt(Time at, Found answer);
  [[nodiscard]] bool List(HistoryQuery query, absl::AnyInvocable<void(Listed)> answer);
  // Everything that was added is on disk; nothing runs any more. Idempotent.
  void Stop();

 private:
  struct Disk;
  std::unique_ptr<Disk> disk_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_HISTORY_STORE_H_
