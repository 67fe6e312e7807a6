// ringway-controller: plans the traffic between regions and tells the routers.
#include <iostream>
#include <variant>

#include "controller/daemon/daemon.h"
#include "controller/daemon/settings.h"

int main(int argc, char** argv) {
  const auto settings = ringway::controller::ParseCommandLine(argc, argv);
  if (const int* exit_code = std::get_if<int>(&settings)) return *exit_code;
  const absl::Status ran =
      ringway::controller::RunController(std::get<ringway::controller::DaemonSettings>(settings));
  if (ran.ok()) return 0;
  std::cerr << "ringway-controller: " << ran.message() << "\n";
  return 1;
}
