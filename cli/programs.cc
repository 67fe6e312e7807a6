#include "cli/programs.h"

#include <filesystem>

namespace ringway::cli {

std::string OwnFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : self.parent_path().string();
}

std::string ShippedTopology(const std::string& file) {
  const std::filesystem::path built = std::filesystem::path(OwnFolder()) / "../../topology" / file;
  std::error_code error;
  const bool there = std::filesystem::exists(built, error);
  const std::filesystem::path installed =
      std::filesystem::path(OwnFolder()) / "../share/ringway/topology" / file;
  if (!there && std::filesystem::exists(installed, error)) {
    return std::filesystem::weakly_canonical(installed, error).string();
  }
  return there ? std::filesystem::weakly_canonical(built, error).string() : "topology/" + file;
}

}  // namespace ringway::cli
