// Reads the values of a few metrics out of a page in Prometheus' text format.
//
// For the metrics of a tier that are not built in: the router beside a worker reads them from the worker's
// own /metrics page and reports them. All series of a name are added up, whatever their labels, because a
// tier's metric is one number for each worker. What is not a finite number is skipped, and so is every line
// that is not a sample; a page cannot be wrong as a whole.
//
// Complexity: one pass over the page, times the few names wanted. Threads: pure.
#ifndef RINGWAY_ROUTER_DAEMON_OPERATIONS_METRICS_TEXT_H_
#define RINGWAY_ROUTER_DAEMON_OPERATIONS_METRICS_TEXT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringway::router {

// By name; a name without a sample is absent.
std::map<std::string, double> ReadMetrics(std::string_view page, const std::vector<std::string>& names);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_OPERATIONS_METRICS_TEXT_H_
