#include "engine/cpu/idle_threads.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ringway::engine {
namespace {

constexpr char kSpinCount[] = "GOMP_SPINCOUNT";

// As they were given, each ended by a zero byte.
std::string OwnArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

void LetIdleThreadsSleep() {
  if (std::getenv(kSpinCount) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  std::string text = OwnArguments();
  if (text.empty() || setenv(kSpinCount, "0", 0) != 0) return;
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    if (text.find('\0', at) == std::string::npos) return;
    arguments.push_back(&text[at]);
  }
  arguments.push_back(nullptr);
  // By its name, which tools show; the link where the file has been replaced since.
  std::error_code failed;
  const std::string own = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (!failed) execv(own.c_str(), arguments.data());
  execv("/proc/self/exe", arguments.data());
}

}  // namespace ringway::engine
