// A rate that is held until counts refute it: how fast something happens, told from how often it happened.
//
// Jobs of GPUs are few, so what is counted in a second scatters by its square root; smoothing follows the
// scatter, hysteresis on what is made of it does not hold it. Here the number itself stands, bit for bit,
// until some window of counts could not have come from it: the likelihood ratio of Poisson counts, divided by
// their measured dispersion, over windows of 1, 2, 3-4, 5-8 ... entries, none of which reaches back over the
// last change. Where counts come in bursts (a dispersion above 1) more than expected must also refute the
// negative binomial law of that dispersion. After a change the rate is measured anew when 1, 2, 4 ... entries
// have passed, where that differs by more than half a standard deviation, for five minutes: at most eight
// times, then it stands.
//
// An entry is what came over at least kEntrySeconds. Exposure is what the events are counted over: seconds
// for arrivals, busy worker-seconds for completions. Windows begin at boundaries of powers of two (an
// exponential histogram, Datar et al. 2002), so the state is 20 sums whatever the time; the test is a
// windowed generalised likelihood ratio (Lai 1995). The dispersion comes from differences of neighbouring
// blocks, which a step spoils once only; measured from the held rate it would be spoilt for as long as the
// rate is wrong.
//
// Pure; one owner; O(windows) an entry, a logarithm only where one is suspicious.
#ifndef RINGWAY_CONTROLLER_PLANNER_HELD_H_
#define RINGWAY_CONTROLLER_PLANNER_HELD_H_

#include <array>
#include <cstdint>

namespace ringway::planner {

class Held {
 public:
  struct Settings {
    double refuted_at = 15;   // likelihood ratio: false alarms at rest are rarer than one a day and region
    bool dispersed = true;    // measure the dispersion; else it is taken to be Poisson's
    double prior_events = 0;  // that prior_rate counts for, until counts refute it once; 0: there is none
    double prior_rate = 0;
  };
  // Sums of all that came before a moment.
  struct Mark {
    std::int64_t entry = 0;
    double count = 0;
    double exposure = 0;
  };
  static constexpr std::size_t kLevels = 9;  // windows up to 2^kLevels entries
  struct State {
    double rate = 0;
    double dispersion = 1;
    Mark now;
    Mark changed;
    std::array<std::array<Mark, 2>, kLevels> marks{};      // the last two multiples of each power of two
    double open_s = 0, open_count = 0, open_exposure = 0;  // of the entry that is not long enough yet
    Mark block, last_block;  // `block` began there; last_block holds differences
    double block_s = 0;
    std::int32_t blocks = 0;
    // The rate was refuted in `block`, in `last_block`.
    bool block_broken = false, last_broken = false;
    std::int64_t told_by = 0;  // entries of the window that refuted it last
    bool refuted = false;      // once, at least
    bool primed = false;       // something was counted
  };

  explicit Held(const Settings& settings);

  // `count` events over `exposure`, seen in `seconds`. True: the rate changed.
  bool Add(double seconds, double count, double exposure);
  // Forgets the past; `rate` is measured anew like any other change.
  void Reset(double rate);

  double rate() const { return state_.rate; }
  bool primed() const { return state_.primed; }
  double dispersion() const;
  // What the last entry alone lets the rate be, three standard deviations of Poisson's law up, and what the
  // least window of `exposure_min` does; the rate if it is less than that, or before the second entry.
  double AtMost(double exposure_min) const;
  // Of the rate, as far as counts since the last change tell it.
  double StandardError() const;
  const State& state() const { return state_; }
  void Restore(const State& state) { state_ = state; }

 private:
  bool EndEntry();
  void MeasureDispersion(double seconds, double count, double exposure);
  double Ratio(const Mark& since) const;
  bool Refuted();
  bool MeasuredAnew(double entry_s);
  void MoveMarks();

  Settings settings_;
  State state_;
};

}  // namespace ringway::planner

#endif  // RINGWAY_CONTROLLER_PLANNER_HELD_H_
