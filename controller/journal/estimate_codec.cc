#include "controller/journal/estimate_codec.h"

#include <algorithm>
#include <cstdint>

#include "controller/journal/checkpoint_time.h"

namespace ringway::controller {
namespace {

using planner::Held;
using planner::MetricLine;

void SaveMark(const Held::Mark& mark, v1::MarkCheckpoint* out) {
  out->set_entry(mark.entry);
  out->set_count(mark.count);
  out->set_exposure(mark.exposure);
}

Held::Mark LoadMark(const v1::MarkCheckpoint& saved) {
  return {saved.entry(), saved.count(), saved.exposure()};
}

void SaveHeld(const Held::State& state, v1::HeldCheckpoint* out) {
  out->set_rate(state.rate);
  out->set_dispersion(state.dispersion);
  SaveMark(state.now, out->mutable_now());
  SaveMark(state.changed, out->mutable_changed());
  for (const auto& level : state.marks) {
    for (const Held::Mark& mark : level) SaveMark(mark, out->add_marks());
  }
  out->set_open_s(state.open_s);
  out->set_open_count(state.open_count);
  out->set_open_exposure(state.open_exposure);
  SaveMark(state.block, out->mutable_block());
  SaveMark(state.last_block, out->mutable_last_block());
  out->set_block_s(state.block_s);
  out->set_blocks_seen(state.blocks);
  out->set_refuted(state.refuted);
  out->set_primed(state.primed);
  out->set_block_broken(state.block_broken);
  out->set_last_broken(state.last_broken);
  out->set_told_by(state.told_by);
}

Held::State LoadHeld(const v1::HeldCheckpoint& saved) {
  Held::State state;
  state.rate = saved.rate();
  state.dispersion = saved.dispersion();
  state.now = LoadMark(saved.now());
  state.changed = LoadMark(saved.changed());
  const auto marks = std::min<std::size_t>(static_cast<std::size_t>(saved.marks_size()), 2 * Held::kLevels);
  for (std::size_t m = 0; m < marks; ++m)
    state.marks[m / 2][m % 2] = LoadMark(saved.marks(static_cast<int>(m)));
  state.open_s = saved.open_s();
  state.open_count = saved.open_count();
  state.open_exposure = saved.open_exposure();
  state.block = LoadMark(saved.block());
  state.last_block = LoadMark(saved.last_block());
  state.block_s = saved.block_s();
  state.blocks = saved.blocks_seen();
  state.refuted = saved.refuted();
  state.primed = saved.primed();
  state.block_broken = saved.block_broken();
  state.last_broken = saved.last_broken();
  state.told_by = saved.told_by();
  return state;
}

void SaveLine(const MetricLine::State& line, v1::LineCheckpoint* out) {
  out->set_background(line.background);
  out->set_slope(line.slope);
  out->set_var_background(line.var_background);
  out->set_var_slope(line.var_slope);
  out->set_covariance(line.covariance);
  out->set_noise(line.noise);
  out->set_held_background(line.held_background);
  out->set_held_slope(line.held_slope);
  out->set_last(line.last);
  out->set_at_ns(Nanos(line.at));
  out->set_lagged(line.lagged);
  out->set_repeats(line.repeats);
  out->set_lagged_at_first(line.lagged_at_first);
}

MetricLine::State LoadLine(const v1::LineCheckpoint& saved) {
  return {.background = saved.background(),
          .slope = saved.slope(),
          .var_background = saved.var_background(),
          .var_slope = saved.var_slope(),
          .covariance = saved.covariance(),
          .noise = saved.noise(),
          .held_background = saved.held_background(),
          .held_slope = saved.held_slope(),
          .last = saved.last(),
          .at = At(saved.at_ns()),
          .lagged = saved.lagged(),
          .repeats = saved.repeats(),
          .lagged_at_first = saved.lagged_at_first()};
}

}  // namespace

v1::EstimateCheckpoint SaveEstimate(const planner::RegionEstimate::Learnt& learnt) {
  v1::EstimateCheckpoint saved;
  if (learnt.cost) {
    SaveHeld(learnt.cost->speed, saved.mutable_speed());
    saved.set_busy_s(learnt.cost->busy_s);
    saved.set_busy_repeats(learnt.cost->repeats);
  }
  for (const planner::Demand::Learnt& demand : learnt.demand) {
    v1::DemandCheckpoint* out = saved.add_demand();
    SaveHeld(demand.held, out->mutable_held());
    out->set_doubted(demand.doubted);
  }
  for (const planner::RegionEstimate::Learnt::Metric& metric : learnt.metrics) {
    v1::MetricCheckpoint* out = saved.add_metrics();
    out->set_last(metric.last);
    out->set_at_ns(Nanos(metric.at));
    if (metric.line) SaveLine(*metric.line, out->mutable_line());
  }
  saved.set_counted_at_ns(Nanos(learnt.counted_at));
  return saved;
}

planner::RegionEstimate::Learnt LoadEstimate(const v1::EstimateCheckpoint& saved) {
  planner::RegionEstimate::Learnt learnt;
  if (saved.has_speed()) {
    learnt.cost = planner::LoadCost::Learnt{
        .speed = LoadHeld(saved.speed()), .busy_s = saved.busy_s(), .repeats = saved.busy_repeats()};
  }
  for (const v1::DemandCheckpoint& demand : saved.demand()) {
    planner::Demand::Learnt& out = learnt.demand.emplace_back();
    out.doubted = demand.doubted();
    if (demand.has_held()) {
      out.held = LoadHeld(demand.held());
    } else {
      out.held.rate = demand.rps();
      out.held.primed = demand.primed();
    }
  }
  for (const v1::MetricCheckpoint& metric : saved.metrics()) {
    planner::RegionEstimate::Learnt::Metric& out = learnt.metrics.emplace_back();
    out.last = metric.last();
    out.at = At(metric.at_ns());
    if (metric.has_line()) out.line = LoadLine(metric.line());
  }
  learnt.counted_at = At(saved.counted_at_ns());
  return learnt;
}

}  // namespace ringway::controller
