// ringway-router: takes jobs to free workers, beside it, in its region, or in another one.
#include <iostream>
#include <optional>
#include <variant>

#include "router/daemon/daemon.h"
#include "router/daemon/settings.h"
#include "topology/topology.h"

int main(int argc, char** argv) {
  const auto parsed = ringway::router::ParseCommandLine(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;
  const auto& settings = std::get<ringway::router::Settings>(parsed);
  std::optional<ringway::Fleet> fleet;
  if (!settings.topology.empty()) {
    const auto topology = ringway::LoadTopology(settings.topology);
    if (!topology.ok()) {
      std::cerr << "ringway-router: " << topology.status().message() << "\n";
      return 1;
    }
    fleet = *topology->fleet;
  }
  const absl::Status ran = ringway::router::RunRouter(settings, fleet);
  if (ran.ok()) return 0;
  std::cerr << "ringway-router: " << ran.message() << "\n";
  return 1;
}
