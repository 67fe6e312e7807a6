#include "bench/loop/options.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include "runtime/flags.h"

namespace ringway::bench {
namespace {

constexpr double kQuickS = 400;
constexpr std::uint64_t kJudgingSeed = 11;
constexpr std::uint64_t kTuningSeed = 12;

const std::vector<std::string>& WorldNames() {
  static const std::vector<std::string> names = {"mix60", "three10", "aws", "azure", "mix100", "mix200"};
  return names;
}

struct SkewedWorld {
  std::shared_ptr<const Fleet> fleet;  // null: it could not be read
  double skew = 0;  // shares of the demand are even where the world's own sizes are recorded
};

SkewedWorld WorldOf(const std::string& name, bool tuning) {
  const std::uint64_t odd = tuning ? 1 : 0;  // the judging half's seed is one more than an even one
  if (name == "mix60") return {Generate({"mix60", 60, 3, 40, 101 + odd}), 0.2};
  if (name == "mix100") return {Generate({"mix100", 100, 3, 400, 103 + odd}), 0.2};
  if (name == "mix200") return {Generate({"mix200", 200, 3, 100, 105 + odd}), 0.2};
  if (name == "three10") return {ThreeOfTen(), 0};
  return {Shipped(name), 0};
}

template <typename T>
std::vector<T> Or(const std::vector<T>& chosen, std::vector<T> otherwise) {
  return chosen.empty() ? std::move(otherwise) : chosen;
}

}  // namespace

bool LoopOptions::Wants(const std::string& part) const {
  if (single_cells()) return part == "waits";
  return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::optional<LoopOptions> ReadLoopOptions(int argc, char** argv, int& exit_code) {
  LoopOptions options;
  flags::Root app(
      "How calm the closed loop is and how long jobs wait in it, on worlds, seeds and arrivals that no "
      "constant\n"
      "was chosen on, beside the loop without its parts and beside one queue of all workers.");
  app.AddFlag("--quick", options.quick, "two worlds, two loads, Poisson arrivals, shorter");
  app.AddFlag("--brief", options.brief, "only one line a claim: ok or short");
  app.AddFlag("--alone", options.alone, "the loop as shipped, without those that stand beside it");
  app.AddFlag("--tuning", options.tuning, "worlds and traffic of even seeds, for whoever changes a constant");
  const flags::Option parts = app.Add("part", options.parts, "calm, overload, waits; none named: all of them")
                                  .OneOf({"calm", "overload", "waits"});
  const flags::Option worlds =
      app.Add("--world", options.worlds, "single cells of the waits: of these worlds").OneOf(WorldNames());
  const flags::Option loads =
      app.Add("--load", options.loads, "at these loads of all workers, 0.01 to 2").In(0.01, 2.0);
  const flags::Option cvs =
      app.Add("--cv", options.gap_cvs, "with gaps of this coefficient of variation; 1: Poisson").In(1.0, 4.0);
  app.Add("--seconds", options.seconds, "virtual seconds of a run of the waits, 200 of warm-up among them")
      .In(201.0, 86400.0);
  for (flags::Option cell : {worlds, loads, cvs}) cell.Excludes(parts);
  if (const auto ending = app.Parse(argc, argv)) {
    exit_code = flags::Tell(*ending, "bench_loop");
    return std::nullopt;
  }
  return options;
}

bool CellsOf(const LoopOptions& options, std::vector<Cell>& cells) {
  const bool quick = options.quick;
  const std::vector<double> loads = Or(
      options.loads, quick ? std::vector<double>{0.7, 0.9} : std::vector<double>{0.5, 0.7, 0.8, 0.9, 0.95});
  const std::vector<double> laws =
      Or(options.gap_cvs, quick ? std::vector<double>{1} : std::vector<double>{1, 2});
  const std::vector<std::string> names =
      Or(options.worlds, quick ? std::vector<std::string>{"mix60", "three10"} : WorldNames());
  for (const std::string& name : names) {
    const SkewedWorld world = WorldOf(name, options.tuning);
    if (world.fleet == nullptr) return false;
    for (const double gaps_cv : laws) {
      for (const double load : loads) {
        Traffic traffic{.load = load,
                        .gaps_cv = gaps_cv,
                        .skew = world.skew,
                        .seed = options.tuning ? kTuningSeed : kJudgingSeed};
        if (quick) traffic.duration_s = kQuickS;
        if (options.seconds > 0) traffic.duration_s = options.seconds;
        cells.push_back({world.fleet, traffic, options.alone});
      }
    }
  }
  return true;
}

}  // namespace ringway::bench
