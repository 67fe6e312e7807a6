// What a benchmark claims: a figure, the bound that it must keep, and whether it does.
//
// With --brief each claim is one line, "ok|short NAME measured bound", to be cut into words: a name has no
// spaces. Where the machine's speed would decide, both numbers of a claim come from the same run and the
// figure is their ratio. A figure claims nothing and is printed beside the claims. A program exits with 0
// when all of its claims hold, 1 when one is short, 2 when it could not measure.
#ifndef RINGWAY_BENCH_CLAIM_H_
#define RINGWAY_BENCH_CLAIM_H_

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ringway::bench {

struct Claim {
  enum class Bound { kAtLeast, kAtMost, kNone };
  std::string name;
  double measured = 0;
  Bound sense = Bound::kAtMost;
  double bound = 0;
  std::string unit = {};
  bool known = true;  // false: what it speaks of was not measured in this run, so it is short
  bool holds() const {
    if (!known) return false;
    return sense == Bound::kNone || (sense == Bound::kAtLeast ? measured >= bound : measured <= bound);
  }
};

inline Claim AtLeast(std::string name, double measured, double bound, std::string unit = {}) {
  return {std::move(name), measured, Claim::Bound::kAtLeast, bound, std::move(unit)};
}
inline Claim AtMost(std::string name, double measured, double bound, std::string unit = {}) {
  return {std::move(name), measured, Claim::Bound::kAtMost, bound, std::move(unit)};
}

inline Claim Figure(std::string name, double measured, std::string unit = {}) {
  return {std::move(name), measured, Claim::Bound::kNone, 0, std::move(unit)};
}

inline void Print(const Claim& claim, bool brief) {
  const char* verdict = claim.holds() ? "ok" : "short";
  if (brief) {
    std::printf("%s %s %.4g %.4g\n", verdict, claim.name.c_str(), claim.measured, claim.bound);
  } else if (claim.sense == Claim::Bound::kNone) {
    std::printf("      %-44s %14.4f %s\n", claim.name.c_str(), claim.measured, claim.unit.c_str());
  } else {
    std::printf("%-5s %-44s %14.4f %-12s (bound: %s %.4g)%s\n", verdict, claim.name.c_str(), claim.measured,
                claim.unit.c_str(), claim.sense == Claim::Bound::kAtLeast ? "at least" : "at most",
                claim.bound, claim.known ? "" : " not measured");
  }
}

// Prints them; the exit code of the program.
inline int Report(const std::vector<Claim>& claims, bool brief) {
  for (const Claim& claim : claims) Print(claim, brief);
  return std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.holds(); }) ? 0 : 1;
}

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_CLAIM_H_
