// The metrics that the alert rules and the dashboard read, taken from their expressions.
//
// A metric is a word that begins with ringway_; a histogram is named without _bucket, _sum and _count. Labels
// are those in the braces behind a metric, but not those that a scrape adds (job, instance). Threads: pure.
#ifndef RINGWAY_TESTS_DEPLOY_EXPRESSIONS_H_
#define RINGWAY_TESTS_DEPLOY_EXPRESSIONS_H_

#include <map>
#include <set>
#include <string>

namespace ringway {

// Metric -> the labels that some expression selects by.
using MetricUses = std::map<std::string, std::set<std::string>>;

// Of deploy/observability, in the checkout.
MetricUses MetricsInExpressions();
// Of one expression.
void CollectMetrics(const std::string& expression, MetricUses& uses);
// `ringway_x_seconds_bucket` -> `ringway_x_seconds`.
std::string WithoutSuffix(const std::string& series);
// Of the sources of the daemons: every name of a metric, as it is spelt there.
std::set<std::string> MetricsInSources();

}  // namespace ringway

#endif  // RINGWAY_TESTS_DEPLOY_EXPRESSIONS_H_
