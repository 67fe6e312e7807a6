// Small files that must survive kill -9: written whole or not at all, and checked on reading.
//
// Format: one text line "ringway-state <kind> v<version> <bytes> <crc32c hex>\n", then the payload. Written
// to a new temporary file in the same directory (a symbolic link there is removed, not followed), fsynced,
// renamed over the old one, and the directory fsynced. A file that is truncated, of another kind, of a
// version that this release does not read, or whose checksum is wrong gives an error that names the file and
// the remedy; the caller goes on without it.
//
// Threads: one writer per path. Bound: kStateBytesMax.
#ifndef RINGWAY_RUNTIME_STATE_FILE_H_
#define RINGWAY_RUNTIME_STATE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::runtime {

inline constexpr std::size_t kStateBytesMax = std::size_t{256} << 20;

struct StateFile {
  std::uint32_t version = 0;
  std::string payload;
};

absl::Status WriteStateFile(const std::string& path, std::string_view kind, std::uint32_t version,
                            std::string_view payload);

// Errors: NotFound (no such file), DataLoss (damaged), FailedPrecondition (kind, or version outside [oldest,
// newest]).
absl::StatusOr<StateFile> ReadStateFile(const std::string& path, std::string_view kind, std::uint32_t oldest,
                                        std::uint32_t newest);

// CRC-32C (Castagnoli), of the bytes as they are.
std::uint32_t Crc32c(std::string_view bytes);

}  // namespace ringway::runtime

#endif  // RINGWAY_RUNTIME_STATE_FILE_H_
