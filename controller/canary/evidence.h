// Whether one tier fares worse since a share of its routers has other settings.
//
// Two questions, each answered as a likelihood ratio that grows with every window of time.
//   Do the chosen routers lose more than the others? Of the jobs that were lost in one region and window, the
//   chosen ones' part is binomial by their part of the jobs, if nothing has changed; under odds of k it is
//   larger. Regions and times of different luck do not mix, because each is compared within itself; and
//   drawing without replacement is less dispersed than the binomial (Hoeffding 1963), so the ratio errs to
//   the safe side. Does the whole tier lose more than before? What the chosen routers send away loads the
//   others, so both groups may suffer alike. Held against an upper bound of the share that was lost before.
// Either is summed up as Shiryaev and Roberts do, R <- (1 + R) x ratio, so that it finds a harm that begins
// in the middle; R minus the number of windows is a martingale while nothing is wrong, hence the chance that
// it ever reaches windows / alpha is at most alpha (Doob; Pollak 1985). The mean over three sizes of harm has
// the same bound. Jobs are refused in bursts: the logarithm counts a third, so that the bound stands for
// three times the variance of independent jobs. Routers whose users differ are no harm of the settings: less
// than kExcessMin is none.
//
// Value; pure; O(regions) a window.
#ifndef RINGWAY_CONTROLLER_CANARY_EVIDENCE_H_
#define RINGWAY_CONTROLLER_CANARY_EVIDENCE_H_

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ringway::canary {

// Lost more than expected, in shares of the chosen routers' jobs, below which nothing is called harm.
inline constexpr double kExcessMin = 0.005;

// Jobs that ended: done, or shed or too late.
struct JobCount {
  double done = 0;
  double lost = 0;
  double ended() const { return done + lost; }
  void Add(const JobCount& more) {
    done += more.done;
    lost += more.lost;
  }
  friend bool operator==(const JobCount&, const JobCount&) = default;
};

class Evidence {
 public:
  static constexpr std::size_t kSizes = 3;  // of harm
  using Sizes = std::array<double, kSizes>;
  struct Stratum {
    JobCount chosen;
    JobCount rest;
    friend bool operator==(const Stratum&, const Stratum&) = default;
  };
  struct State {
    std::map<std::string, Stratum> open;  // by region: until both groups have ended jobs
    JobCount before;                      // of the tier, while all had the old settings
    JobCount during;
    JobCount taken;   // of `during`, at the end of the last window
    JobCount chosen;  // that were compared
    JobCount rest;
    double expected_lost = 0;  // of the chosen ones, had they fared like the others
    Sizes worse{};
    Sizes fell{};
    double judged_s = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  Evidence() = default;
  explicit Evidence(State state) : state_(std::move(state)) {}
  const State& state() const { return state_; }

  void CountBefore(const JobCount& jobs) { state_.before.Add(jobs); }
  void Count(const std::string& region, bool chosen, const JobCount& jobs);
  // `counts_s`: how much of the window counts for the period of the canary.
  void CloseWindow(double counts_s);

  // `bar`: what R must reach; see above.
  bool ChosenAreWorse(double bar) const;
  bool TierFell(double bar) const;
  // Upper bound of the share that was lost before.
  double LostBefore() const;

 private:
  void Compare(const Stratum& stratum, Sizes& log_likelihood);
  void CompareWithBefore(const JobCount& now);

  State state_;
};

}  // namespace ringway::canary

#endif  // RINGWAY_CONTROLLER_CANARY_EVIDENCE_H_
