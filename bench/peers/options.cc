#include "bench/peers/options.h"

#include <vector>

#include "bench/peers/claims.h"
#include "bench/peers/proxies.h"

namespace ringway::bench {

std::vector<RowSpec> RowsOf(const Options& options) {
  const bool narrowed = !options.rhos.empty() || !options.instances.empty() || !options.means_s.empty();
  std::vector<RowSpec> rows;
  if (options.quick && !narrowed) {
    rows = RowsOfClaims(options.overload_deadline_s());
  } else {
    const auto either = [](auto given, decltype(given) usual) { return given.empty() ? usual : given; };
    for (const double mean_s : either(options.means_s, {0.05, 0.5})) {
      for (const ProxyKind& kind : ProxyKinds()) {
        for (const int instances : either(options.instances, {1, 16})) {
          for (const double rho : either(options.rhos, {0.7, 0.9, 0.95, 1.1})) {
            const double deadline_s = rho > 1 ? options.overload_deadline_s() : RowSpec().deadline_s;
            rows.push_back({kind.name, instances, rho, mean_s, deadline_s});
          }
        }
      }
    }
  }
  std::erase_if(rows, [&](const RowSpec& row) { return row.kind.find(options.only) == std::string::npos; });
  return rows;
}

Effort EffortFor(const RowSpec& row, const Options& options) {
  Effort effort = options.effort;
  if (options.quick && row.service_mean_s > 0.1) effort.measured_s *= 3;
  if (options.quick && row.rho > 1) effort.measured_s *= 2;
  return effort;
}

}  // namespace ringway::bench
