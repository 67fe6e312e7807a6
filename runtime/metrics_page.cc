#include "runtime/metrics_page.h"

#include <prometheus/text_serializer.h>

namespace ringway::runtime {

Page MetricsPage(std::shared_ptr<const prometheus::Registry> registry) {
  return [registry] {
    return HttpReply{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                     .body = prometheus::TextSerializer().Serialize(registry->Collect())};
  };
}

Page HealthPage() {
  return [] { return HttpReply{.body = "ok\n"}; };
}

Page ReadyPage(std::function<bool()> ready) {
  return [ready = std::move(ready)] {
    if (ready()) return HttpReply{.body = "ready\n"};
    return HttpReply{.status = 503, .body = "not ready\n"};
  };
}

}  // namespace ringway::runtime
