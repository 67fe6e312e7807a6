// RINGWAY_CHECK(condition): a broken invariant ends the process at once, with the place and the condition.
//
// For what can only be wrong through a mistake in this program, in every build; never for input, which gets
// an absl::Status. A process that is known to be inconsistent must not go on granting slots: its peers are
// built to survive its death. Costs one predictable branch.
#ifndef RINGWAY_CORE_CHECK_H_
#define RINGWAY_CORE_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace ringway::internal {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace ringway::internal

#define RINGWAY_CHECK(condition)                                        \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::ringway::internal::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)

#endif  // RINGWAY_CORE_CHECK_H_
