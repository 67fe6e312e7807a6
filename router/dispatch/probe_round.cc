#include "router/dispatch/probe_round.h"

#include <algorithm>

namespace ringway::dispatch {
namespace {

bool Contains(const std::vector<WorkerId>& round, WorkerId worker) {
  return std::find(round.begin(), round.end(), worker) != round.end();
}

void AddLocal(const WorkerView& view, TierId tier, std::size_t width, Time now,
              std::vector<WorkerId>& round) {
  for (const WorkerId worker : view.local_workers(tier)) {
    if (round.size() >= width) return;
    if (view.open(worker) && !view.LikelyBusy(worker, now)) round.push_back(worker);
  }
}

void AddHinted(WorkerView& view, TierId tier, std::size_t width, Time now, Rng& rng,
               std::vector<WorkerId>& round) {
  while (round.size() < width) {
    const WorkerId worker = view.hints(tier).Take(now, rng);
    if (!worker.valid()) return;
    if (view.open(worker) && !Contains(round, worker)) round.push_back(worker);
  }
}

// Moves random workers to the front of the open set, one a look, so that no look repeats.
void AddRandom(WorkerView& view, TierId tier, std::size_t width, Time now, Rng& rng,
               std::vector<WorkerId>& round) {
  const std::size_t open = view.open_workers(tier).size();
  const std::size_t looks = std::min(open, kLooksPerProbe * width);
  for (std::size_t i = 0; i < looks && round.size() < width; ++i) {
    view.SwapOpen(tier, i, i + rng.Below(open - i));
    const WorkerId worker = view.open_workers(tier)[i];
    if (!view.LikelyBusy(worker, now) && !Contains(round, worker)) round.push_back(worker);
  }
  for (std::size_t i = 0; i < looks && round.size() < width; ++i) {
    const WorkerId worker = view.open_workers(tier)[i];
    if (!Contains(round, worker)) round.push_back(worker);
  }
}

}  // namespace

void ChooseRound(WorkerView& view, TierId tier, std::size_t width, Time now, Rng& rng,
                 std::vector<WorkerId>& round) {
  round.clear();
  AddLocal(view, tier, width, now, round);
  AddHinted(view, tier, width, now, rng, round);
  AddRandom(view, tier, width, now, rng, round);
}

}  // namespace ringway::dispatch
