// Commands and files, for tests of what is shipped.
//
// Output is standard output and error together, whole; a command that must end does so because its program
// does, or because the caller put `timeout` before it. Threads: one owner.
#ifndef RINGWAY_TESTS_DEPLOY_SHELL_H_
#define RINGWAY_TESTS_DEPLOY_SHELL_H_

#include <filesystem>
#include <string>

namespace ringway {

struct Ran {
  int code = -1;
  std::string output;
};

Ran RunShell(const std::string& command);
std::string OutputOf(const std::string& command);
bool Installed(const std::string& program);
// Empty when it cannot be read.
std::string ReadText(const std::filesystem::path& path);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DEPLOY_SHELL_H_
