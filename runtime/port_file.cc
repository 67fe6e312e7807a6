#include "runtime/port_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::runtime {

absl::Status WritePortFile(const std::string& path, const Ports& ports) {
  const std::string temporary = absl::StrCat(path, ".tmp");
  std::ofstream file(temporary, std::ios::trunc);
  for (const auto& [service, address] : ports) file << service << ' ' << address << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    return absl::InternalError(absl::StrCat("port file ", path, ": cannot write: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ports> ReadPortFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("port file ", path, ": no such file, or not readable"));
  Ports ports;
  std::string service, address;
  while (file >> service >> address) {
    if (!ParseAddress(address).ok()) {
      return absl::DataLossError(absl::StrCat("port file ", path, ": '", address, "' is not host:port"));
    }
    ports[service] = address;
  }
  if (ports.empty()) return absl::DataLossError(absl::StrCat("port file ", path, ": names no service"));
  return ports;
}

}  // namespace ringway::runtime
