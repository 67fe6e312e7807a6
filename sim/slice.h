// Which part of a scenario's time a simulation plays: all of it, or one slice of several.
//
// A slice starts with an empty fleet some time before its window (its warm-up), counts what falls into the
// window, and goes on after it until every job that was submitted in the window has ended. Users come as they
// do in the whole run, the same at the same instant, and what faults have done before the start is in force;
// what is not the same is the state that the fleet has when the window begins (sim/study/seam.h compares it).
//
// Times: virtual seconds, whole ones; begins_s <= from_s < to_s. Threads: a value.
#ifndef RINGWAY_SIM_SLICE_H_
#define RINGWAY_SIM_SLICE_H_

#include <cstdint>
#include <limits>

namespace ringway::sim {

struct Slice {
  double begins_s = 0;
  double from_s = 0;
  double to_s = std::numeric_limits<double>::infinity();  // to the scenario's end

  std::int64_t begins_ns() const { return static_cast<std::int64_t>(begins_s * 1e9); }
  std::int64_t from_ns() const { return static_cast<std::int64_t>(from_s * 1e9); }
  std::int64_t to_ns() const {
    return last() ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(to_s * 1e9);
  }
  bool last() const { return to_s == std::numeric_limits<double>::infinity(); }
};

}  // namespace ringway::sim

#endif  // RINGWAY_SIM_SLICE_H_
