#include "engine/preview/limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsBounded = false;
#else
constexpr bool kMemoryIsBounded = true;
#endif

// Never above what it had.
absl::Status Limit(decltype(RLIMIT_AS) resource, std::uint64_t wanted, const char* name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(wanted, limit.rlim_max);
    if (setrlimit(resource, &limit) == 0) return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat("cannot bound its ", name, ": ", std::strerror(errno)));
}

}  // namespace

absl::Status LimitThisProcess(std::uint64_t mapped_bytes) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return absl::InternalError(absl::StrCat("cannot give up privileges: ", std::strerror(errno)));
  if (absl::Status s = Limit(RLIMIT_CORE, 0, "core file"); !s.ok()) return s;
  if (absl::Status s = Limit(RLIMIT_CPU, kPreviewCpuSecondsMax, "processor time"); !s.ok()) return s;
  if (absl::Status s = Limit(RLIMIT_FSIZE, kPreviewFileBytesMax, "file"); !s.ok()) return s;
  if (!kMemoryIsBounded) return absl::OkStatus();
  return Limit(RLIMIT_AS, kPreviewMemoryBytesMax + mapped_bytes, "memory");
}

}  // namespace ringway::engine
