#include "bench/peers/claims.h"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace ringway::bench {
namespace {

constexpr char kHaproxy[] = "haproxy queue";
constexpr double kFast = 0.05;
constexpr double kSlow = 0.5;

class Judgement {
 public:
  explicit Judgement(const std::vector<Row>& rows) : rows_(rows) {}

  const Row* Find(const RowSpec& spec) const {
    for (const Row& row : rows_) {
      if (row.spec == spec) return &row;
    }
    return nullptr;
  }
  void AtMost(const std::string& name, const RowSpec& spec, double bound,
              std::function<double(const Row&)> of) {
    const Row* row = Find(spec);
    Add(bench::AtMost(name, row == nullptr ? 0 : of(*row), bound), row != nullptr);
  }
  void AtLeast(const std::string& name, const RowSpec& spec, double bound,
               std::function<double(const Row&)> of) {
    const Row* row = Find(spec);
    Add(bench::AtLeast(name, row == nullptr ? 0 : of(*row), bound), row != nullptr);
  }
  // The ratio of ours to HAProxy's.
  void Beside(const std::string& name, const RowSpec& ours, double bound,
              std::function<double(const Row&)> of) {
    RowSpec theirs = ours;
    theirs.kind = kHaproxy;
    Over(name, ours, theirs, bound, std::move(of));
  }
  // The ratio of one row to another.
  void Over(const std::string& name, const RowSpec& one, const RowSpec& other, double bound,
            std::function<double(const Row&)> of) {
    const Row* a = Find(one);
    const Row* b = Find(other);
    const bool known = a != nullptr && b != nullptr;
    Add(bench::AtMost(name, known ? of(*a) / of(*b) : 0, bound), known);
  }

  std::vector<Claim> claims;

 private:
  void Add(Claim claim, bool known) {
    claim.known = known;
    claims.push_back(std::move(claim));
  }

  const std::vector<Row>& rows_;
};

double P99(const Row& row) { return row.load.latency.Quantile(0.99); }

// Every row of ours that was measured, beside what the simulator says of it.
void JudgeSimulator(const std::vector<Row>& rows, Judgement& judge) {
  for (const Row& row : rows) {
    if (!row.simulated) continue;
    const std::string at = absl::StrCat("truth-K", row.spec.instances, "-", 1e3 * row.spec.service_mean_s,
                                        "ms-rho", row.spec.rho, "-");
    judge.AtMost(at + "success-points-off", row.spec, 1,
                 [](const Row& r) { return 100 * std::abs(r.success() - r.simulated->success); });
    judge.AtMost(at + "p99-off", row.spec, 0.1,
                 [](const Row& r) { return std::abs(P99(r) / r.simulated->latency.Quantile(0.99) - 1); });
  }
}

}  // namespace

std::vector<RowSpec> RowsOfClaims(double overload_deadline_s) {
  std::vector<RowSpec> rows;
  for (const double rho : {0.9, 0.95}) {
    rows.push_back({kHaproxy, 1, rho, kFast});
    rows.push_back({kOurs, 1, rho, kFast});
    rows.push_back({kOurs, 16, rho, kFast});
    rows.push_back({kOurs, 16, rho, kSlow});
  }
  rows.push_back({kHaproxy, 16, 0.9, kFast});
  rows.push_back({"nginx try all", 16, 0.9, kFast});
  rows.push_back({kHaproxy, 1, 1.1, kFast, overload_deadline_s});
  rows.push_back({kOurs, 1, 1.1, kFast, overload_deadline_s});
  rows.push_back({kOurs, 16, 1.1, kFast, overload_deadline_s});
  return rows;
}

std::vector<Claim> Judge(const std::vector<Row>& rows, double overload_deadline_s) {
  Judgement judge(rows);
  for (const double mean_s : {kFast, kSlow}) {
    const std::string at = absl::StrCat("K16-", 1e3 * mean_s, "ms-");
    const RowSpec busy{kOurs, 16, 0.9, mean_s};
    judge.AtLeast(at + "success-rho0.9", busy, 0.999, [](const Row& row) { return row.success(); });
    judge.AtMost(at + "p99-over-ideal-rho0.9", busy, 1.10,
                 [](const Row& row) { return row.p99_over_ideal(); });
    judge.AtMost(at + "p99-over-ideal-rho0.95", {kOurs, 16, 0.95, mean_s}, 1.25,
                 [](const Row& row) { return row.p99_over_ideal(); });
    judge.AtMost(at + "offers-per-accepted-rho0.9", busy, 1.2,
                 [](const Row& row) { return row.offers_per_accepted(); });
  }
  for (const double rho : {0.9, 0.95}) {
    const RowSpec single{kOurs, 1, rho, kFast};
    judge.Beside(absl::StrCat("K1-p99-over-haproxy-rho", rho), single, 1.05, P99);
    judge.Beside(absl::StrCat("K1-cpu-over-haproxy-rho", rho), single, 1.3,
                 [](const Row& row) { return row.cpu_us(); });
    // What it costs that sixteen share one ledger: three messages between processes, each way a wake-up.
    judge.Over(absl::StrCat("K16-cpu-over-K1-rho", rho), {kOurs, 16, rho, kFast}, single, 5.5,
               [](const Row& row) { return row.cpu_us(); });
  }
  for (const int instances : {1, 16}) {
    const RowSpec over{kOurs, instances, 1.1, kFast, overload_deadline_s};
    const std::string at = absl::StrCat("K", instances, "-rho1.1-");
    judge.AtLeast(at + "goodput", over, 0.97, [](const Row& row) { return row.goodput(); });
    judge.AtMost(at + "refusal-late-p99-ms", over, 10,
                 [](const Row& row) { return 1e3 * row.load.lateness.Quantile(0.99); });
  }
  JudgeSimulator(rows, judge);
  return judge.claims;
}

}  // namespace ringway::bench
