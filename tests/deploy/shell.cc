#include "tests/deploy/shell.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ringway {

Ran RunShell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> piece;
  while (const std::size_t n = fread(piece.data(), 1, piece.size(), pipe)) ran.output.append(piece.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  return ran;
}

std::string OutputOf(const std::string& command) { return RunShell(command).output; }

bool Installed(const std::string& program) {
  return RunShell("command -v " + program + " > /dev/null").code == 0;
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ringway
