// Whether two slices of a run agree about the instant at which one's window ends and the next one's begins.
//
// The earlier slice has lived through all that came before, the later one only through its warm-up; were the
// warm-up long enough, they would be in the same state but for the dice of the network and of the routers.
// Compared are, over the last ten seconds before the seam, busy workers and waiting jobs of each region and
// of the fleet, and the tables at the seam itself. What counts as the same grows with the square root of the
// workers, as those dice do, and is wider for one region and one row than for all: tables follow what was
// before them, so two histories may keep different ones that serve as well.
//
// Threads: values; a SeamWatch belongs to the thread of its run.
#ifndef RINGWAY_SIM_STUDY_SEAM_H_
#define RINGWAY_SIM_STUDY_SEAM_H_

#include <cstddef>
#include <string>
#include <vector>

#include "sim/observers/observer.h"
#include "sim/simulation.h"

namespace ringway::sim {

// One table row: shares by target, then what it refuses.
struct SeamRow {
  TierId tier;
  RegionId source;
  std::vector<double> shares;
};

// A fleet just before an instant.
struct SeamState {
  std::vector<double> busy;     // workers by region, mean of the last seconds
  std::vector<double> waiting;  // jobs by region of the routers that hold them, likewise
  std::vector<SeamRow> rows;    // of all tiers and priorities
  int seconds = 0;              // that the means are of
};

// Looks at a slice when its window begins and when it ends. A observer: changes nothing.
class SeamWatch : public Observer {
 public:
  static constexpr double kSpanS = 10;
  explicit SeamWatch(const Simulation& run);
  void OnSecond(Time now) override;
  const SeamState& began() const { return began_; }
  const SeamState& ended() const { return ended_; }

 private:
  void Look(double now_s, double seam_s, SeamState& state) const;
  void ReadTables(SeamState& state) const;

  const Simulation& run_;
  SeamState began_, ended_;
};

// The largest difference of one kind.
struct SeamDifference {
  double share = 0;    // of the workers there; of a row's traffic
  double allowed = 0;  // share
  std::string text;    // in plain words
  bool within() const { return share <= allowed; }
};

struct SeamReport {
  SeamDifference busy, waiting, tables;
  bool within() const { return busy.within() && waiting.within() && tables.within(); }
};

// At `seam_s`, between `before` (the end of the earlier window) and `after` (the begin of the later one).
SeamReport CompareSeam(const Scenario& scenario, double seam_s, const SeamState& before,
                       const SeamState& after);
// Of each kind the difference that is largest beside what is allowed.
void KeepWorst(const SeamReport& seam, SeamReport& worst);

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_STUDY_SEAM_H_
