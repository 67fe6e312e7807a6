// What this process may take while it looks into a film that a stranger made: memory, processor time, files.
//
// Beyond them the kernel ends it (SIGXCPU) or allocations fail; whoever started it waits no longer than the
// time that it allows itself. Nothing may be gained by what it executes (no_new_privs), and no core of a film
// is left behind. Sanitizers map terabytes, so a build with them has no bound on memory. Threads: before the
// first one.
#ifndef RINGWAY_ENGINE_PREVIEW_LIMITS_H_
#define RINGWAY_ENGINE_PREVIEW_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"

namespace ringway::engine {

inline constexpr std::uint64_t kPreviewMemoryBytesMax = std::uint64_t{2}
                                                        << 30;  // the film itself is mapped beside it
inline constexpr std::uint64_t kPreviewCpuSecondsMax = 20;
inline constexpr std::uint64_t kPreviewFileBytesMax = std::uint64_t{16} << 20;

// `mapped_bytes`: of the film. Errors: Internal.
absl::Status LimitThisProcess(std::uint64_t mapped_bytes);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PREVIEW_LIMITS_H_
