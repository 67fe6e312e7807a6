// What a benchmark claims: a figure, the bound that it must keep, and whether it does.
//
// With --brief each claim is one line, "ok|short NAME measured bound", to be cut into words: a name has no
// spaces. Where the machine's speed would decide, both numbers of a claim come from the same run and the
// figure is their ratio. A program exits with 0 when all of its claims hold, 1 when one is short, 2 when it
// could not measure.
#ifndef RINGWAY_BENCH_CLAIM_H_
#define RINGWAY_BENCH_CLAIM_H_

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ringway::bench {

struct Claim {
  enum class Bound { kAtLeast, kAtMost };
  std::string name;
  double measured = 0;
  Bound sense = Bound::kAtMost;
  double bound = 0;
  std::string unit = {};
  bool holds() const { return sense == Bound::kAtLeast ? measured >= bound : measured <= bound; }
};

inline Claim AtLeast(std::string name, double measured, double bound, std::string unit = {}) {
  return {std::move(name), measured, Claim::Bound::kAtLeast, bound, std::move(unit)};
}
inline Claim AtMost(std::string name, double measured, double bound, std::string unit = {}) {
  return {std::move(name), measured, Claim::Bound::kAtMost, bound, std::move(unit)};
}

// Prints them; the exit code of the program.
inline int Report(const std::vector<Claim>& claims, bool brief) {
  for (const Claim& claim : claims) {
    const char* verdict = claim.holds() ? "ok" : "short";
    if (brief) {
      std::printf("%s %s %.4g %.4g\n", verdict, claim.name.c_str(), claim.measured, claim.bound);
    } else {
      std::printf("%-5s %-36s %10.3f %-12s (bound: %s %.4g)\n", verdict, claim.name.c_str(), claim.measured,
                  claim.unit.c_str(), claim.sense == Claim::Bound::kAtLeast ? "at least" : "at most",
                  claim.bound);
    }
  }
  return std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.holds(); }) ? 0 : 1;
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_CLAIM_H_
