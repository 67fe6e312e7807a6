// ringway-worker: one GPU, or what stands in for one, that serves one job at a time.
#include <iostream>
#include <utility>
#include <variant>

#include "worker/daemon.h"
#include "worker/settings.h"

int main(int argc, char** argv) {
  auto settings = ringway::worker::ParseCommandLine(argc, argv);
  if (const int* exit_code = std::get_if<int>(&settings)) return *exit_code;
  const absl::Status ran =
      ringway::worker::RunWorker(std::get<ringway::worker::Settings>(std::move(settings)));
  if (ran.ok()) return 0;
  std::cerr << "ringway-worker: " << ran.message() << "\n";
  return 1;
}
