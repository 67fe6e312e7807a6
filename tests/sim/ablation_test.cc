// What is each guard worth? Each is switched off alone: a cell of the grid must then fail that heals with it.
// RINGWAY_FULL=1 runs the whole grid for each and prints the table of docs/dispatch.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/healing.h"

namespace ringway::sim::ablation_test {
namespace {

constexpr std::size_t kWorkersOff = 0;
constexpr std::size_t kLoad = 1;

struct GuardOff {
  const char* what;
  Guards guards;
  std::size_t fails;  // the trigger whose cell at rho 0.95, p 0.9 fails without it
};

const GuardOff kGuards[] = {
    {"ledger: deadline cut-off", {.deadline = false}, kLoad},
    {"probe: deadline cut-off", {.ledger = false, .deadline = false}, kLoad},
    {"probe: retry budget", {.ledger = false, .budget = false}, kWorkersOff},
};

TEST(Ablation, WithoutTheGuardACellFails) {
  for (const GuardOff& off : kGuards) {
    Guards with;
    with.ledger = off.guards.ledger;
    const TriggerCase trigger = AllTriggers()[off.fails];
    EXPECT_TRUE(RunCell({trigger, 0.95, 0.9, with}).healed()) << off.what;
    EXPECT_FALSE(RunCell({trigger, 0.95, 0.9, off.guards}).healed()) << off.what;
  }
}

struct Column {
  int failed = 0;
  int cells = 0;
  double after = 1e9;
  double attempts_max = 0;
  std::string where;
};

Column WholeGrid(const Guards& guards) {
  Column column;
  for (const TriggerCase& trigger : AllTriggers()) {
    int failed = 0;
    for (const double rho : {0.7, 0.85, 0.95}) {
      for (const double resubmit : {0.0, 0.5, 0.9}) {
        const CellOutcome cell = RunCell({trigger, rho, resubmit, guards, 1, 50});
        ++column.cells;
        failed += !cell.healed();
        column.after = std::min(column.after, cell.after);
        column.attempts_max = std::max(column.attempts_max, cell.attempts_max);
      }
    }
    column.failed += failed;
    if (failed > 0) column.where += " " + trigger.name + " (" + std::to_string(failed) + ")";
  }
  return column;
}

TEST(Ablation, TheWholeTable) {
  if (std::getenv("RINGWAY_FULL") == nullptr) GTEST_SKIP() << "RINGWAY_FULL=1 prints it";
  struct Row {
    const char* what;
    Guards guards;
  };
  const std::vector<Row> rows = {
      {"ledger: nothing", {}},
      {"ledger: deadline", {.deadline = false}},
      {"ledger: coarse shed", {.coarse_shed = false}},
      {"ledger: budget", {.budget = false}},
      {"ledger: backoff", {.backoff = false}},
      {"ledger: controller", {.controller = false}},
      {"probe: nothing", {.ledger = false}},
      {"probe: deadline", {.ledger = false, .deadline = false}},
      {"probe: coarse shed", {.ledger = false, .coarse_shed = false}},
      {"probe: budget", {.ledger = false, .budget = false}},
      {"probe: backoff", {.ledger = false, .backoff = false}},
      {"probe: budget and backoff", {.ledger = false, .budget = false, .backoff = false}},
      {"probe: delay", {.ledger = false, .delay = false}},
      {"probe: several a round", {.ledger = false, .many_probes = false}},
      {"probe: controller", {.ledger = false, .controller = false}},
      {"naive", Naive()}};
  for (const Row& row : rows) {
    const Column column = WholeGrid(row.guards);
    std::printf("%-28s %2d of %d fail  worst %.3f  offers %6.2f %s\n", row.what, column.failed, column.cells,
                column.after, column.attempts_max, column.where.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace ringway::sim::ablation_test
