// The /metrics page of a prometheus-cpp registry, and the pages that say whether a daemon lives and serves.
//
// One port for health and metrics, whoever serves it. Text exposition format 0.0.4. A scrape costs
// one walk over the registry's families; labels stay bounded, so the page does too. Threads: safe, as
// prometheus::Registry is.
#ifndef RINGWAY_RUNTIME_METRICS_PAGE_H_
#define RINGWAY_RUNTIME_METRICS_PAGE_H_

#include <prometheus/registry.h>

#include <functional>
#include <memory>

#include "runtime/page.h"

namespace ringway::runtime {

Page MetricsPage(std::shared_ptr<const prometheus::Registry> registry);

// /healthz: 200 while the process runs its loop. /readyz: 200 when `ready` says so, else 503.
Page HealthPage();
Page ReadyPage(std::function<bool()> ready);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_METRICS_PAGE_H_
