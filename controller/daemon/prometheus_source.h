// Asks a Prometheus server for the metrics of tiers that name a PromQL expression.
//
// Every period each expression is sent once, one after the other: GET /api/v1/query. Each series of the
// answer must carry a `region` label; its value is that region's aggregate. An instant query's timestamp is
// that of the evaluation and not of the scrape, so the age of values is what the operator says it is
// (`value_age`: half the scrape interval plus half the evaluation window, typically).
//
// Bounds: one query under way, answers of at most kAnswerBytesMax, kQueryMax a query; a server that does not
// answer costs nothing but stale metrics. Threads: a loop of its own; `deliver` and `report` run on it.
#ifndef RINGWAY_CONTROLLER_DAEMON_PROMETHEUS_SOURCE_H_
#define RINGWAY_CONTROLLER_DAEMON_PROMETHEUS_SOURCE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "core/time.h"

namespace ringway::controller {

struct RegionValue {
  std::string region;
  double value = 0;
};

// The body of an answer to an instant query. Errors: InvalidArgument with what Prometheus said, or what is
// wrong with a series (no `region` label, not a vector).
absl::StatusOr<std::vector<RegionValue>> ParseQueryAnswer(std::string_view json);

struct PrometheusSettings {
  std::string host;
  std::string port = "9090";
  Duration period = Seconds(5);
  Duration value_age;
};

// http://host[:port]. Errors: InvalidArgument.
absl::Status ParsePrometheusUrl(const std::string& url, PrometheusSettings& settings);

// One expression of one metric.
struct PrometheusQuery {
  std::string tier;
  std::string metric;
  std::string promql;
  friend bool operator==(const PrometheusQuery&, const PrometheusQuery&) = default;
};

class PrometheusSource {
 public:
  static constexpr std::size_t kAnswerBytesMax = std::size_t{4} << 20;
  static constexpr Duration kQueryMax = Seconds(5);
  using Answer = std::function<void(const PrometheusQuery&, absl::StatusOr<std::vector<RegionValue>>)>;

  PrometheusSource(PrometheusSettings settings, Answer deliver);
  ~PrometheusSource();

  // Replaces what is asked; from any thread.
  void Ask(std::vector<PrometheusQuery> queries);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_DAEMON_PROMETHEUS_SOURCE_H_
