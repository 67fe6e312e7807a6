// The /metrics page of a prometheus-cpp registry, served by our own HttpServer (one port for health and
// metrics).
//
// Text exposition format 0.0.4. A scrape costs one walk over the registry's families; labels stay bounded, so
// the page does too. Threads: safe, as prometheus::Registry is.
#ifndef RINGWAY_RUNTIME_METRICS_PAGE_H_
#define RINGWAY_RUNTIME_METRICS_PAGE_H_

#include <prometheus/registry.h>

#include <memory>

#include "runtime/http_server.h"

namespace ringway::runtime {

HttpServer::Page MetricsPage(std::shared_ptr<const prometheus::Registry> registry);

// /healthz: 200 while the process runs its loop. /readyz: 200 when `ready` says so, else 503.
HttpServer::Page HealthPage();
HttpServer::Page ReadyPage(std::function<bool()> ready);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_METRICS_PAGE_H_
