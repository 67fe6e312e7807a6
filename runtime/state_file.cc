#include "runtime/state_file.h"

#include <array>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/whole_file.h"

namespace ringway::runtime {
namespace {

constexpr char kStateMagic[] = "ringway-state";

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0u);
    table[i] = crc;
  }
  return table;
}

absl::Status Damaged(const std::string& path, std::string_view what) {
  return absl::DataLossError(absl::StrCat(path, ": ", absl::string_view(what.data(), what.size()),
                                          ". Remove the file to start without it."));
}

}  // namespace

std::uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeCrcTable();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

absl::Status WriteStateFile(const std::string& path, std::string_view kind, std::uint32_t version,
                            std::string_view payload) {
  const std::string header = absl::StrFormat("%s %s v%u %u %08x\n", kStateMagic, std::string(kind), version,
                                             static_cast<unsigned>(payload.size()), Crc32c(payload));
  return WriteWholeFile(path, {header, payload});
}

absl::StatusOr<StateFile> ReadStateFile(const std::string& path, std::string_view kind, std::uint32_t oldest,
                                        std::uint32_t newest) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": no such file, or not readable"));
  std::string line;
  if (!std::getline(file, line)) return Damaged(path, "the file is empty");
  std::istringstream fields(line);
  std::string magic, found_kind;
  char v = 0;
  StateFile state;
  std::size_t bytes = 0;
  std::uint32_t crc = 0;
  if (!(fields >> magic >> found_kind >> v >> state.version >> bytes >> std::hex >> crc) ||
      magic != kStateMagic || v != 'v') {
    return Damaged(path, "the first line is not that of a state file");
  }
  if (found_kind != kind) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": holds '", found_kind, "', expected '", std::string(kind), "'"));
  }
  if (state.version < oldest || state.version > newest) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": is of version ", state.version,
                                                      "; this release reads ", oldest, " to ", newest));
  }
  if (bytes > kStateBytesMax) return Damaged(path, "the file claims to be larger than 256 MiB");
  state.payload.resize(bytes);
  file.read(state.payload.data(), static_cast<std::streamsize>(bytes));
  if (static_cast<std::size_t>(file.gcount()) != bytes || file.peek() != std::ifstream::traits_type::eof()) {
    return Damaged(path, "the length is not what the first line says (truncated?)");
  }
  if (Crc32c(state.payload) != crc) return Damaged(path, "the checksum is wrong");
  return state;
}

}  // namespace ringway::runtime
