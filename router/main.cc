// ringway-router: takes jobs to free workers, beside it, in its region, or in another one.
#include <iostream>
#include <optional>
#include <variant>

#include "router/daemon/daemon.h"
#include "router/daemon/settings.h"
#include "topology/http_pool.h"
#include "topology/topology.h"

int main(int argc, char** argv) {
  const auto parsed = ringway::router::ParseCommandLine(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  auto settings = std::get<ringway::router::Settings>(parsed);
  std::optional<ringway::Fleet> fleet;
  if (!settings.topology.empty()) {
    const auto topology = ringway::LoadTopology(settings.topology);
    if (!topology.ok()) {
      std::cerr << "ringway-router: " << topology.status().message() << "\n";
      return 1;
    }
    fleet = *topology->fleet;
  }
  if (!settings.pool_file.empty()) {
    settings.read_pool = [path = settings.pool_file] { return ringway::LoadHttpPool(path); };
    const auto pool = settings.read_pool();
    if (!pool.ok()) {
      std::cerr << "ringway-router: " << pool.status().message() << "\n";
      return 1;
    }
    settings.pool = *pool;
  }
  const absl::Status ran = ringway::router::RunRouter(settings, fleet);
  if (ran.ok()) return 0;
  std::cerr << "ringway-router: " << ran.message() << "\n";
  return 1;
}
