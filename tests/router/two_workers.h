// A directory of two workers, for whoever needs names but no sockets.
#ifndef RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_
#define RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_

#include <string_view>

#include "router/wire/ledger_codec.h"

namespace ringway::router {

class TwoWorkers final : public WorkerNames {
 public:
  WorkerId FindWorker(std::string_view address) const override {
    if (address == "a:1") return WorkerId(0);
    return address == "b:2" ? WorkerId(1) : WorkerId();
  }
  std::string_view AddressOf(WorkerId worker) const override { return worker == WorkerId(0) ? "a:1" : "b:2"; }
};

}  // namespace ringway::router

#endif  // RINGWAY_TESTS_ROUTER_TWO_WORKERS_H_
