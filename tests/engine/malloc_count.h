// Counts what is allocated while a plan runs: the proof that freezing leaves nothing to allocate.
//
// The test program replaces the global operator new and malloc's hooks are gone from glibc, so malloc itself
// is replaced too (malloc_count.cc); libraries that are linked dynamically are counted as well. Counting is
// on between Begin and the destructor, for all threads.
#ifndef RINGWAY_TESTS_ENGINE_MALLOC_COUNT_H_
#define RINGWAY_TESTS_ENGINE_MALLOC_COUNT_H_

#include <cstddef>

namespace ringway::engine {

struct MallocCount {
  long calls = 0;
  std::size_t largest_bytes = 0;
};

void BeginCountingMalloc();
MallocCount EndCountingMalloc();

}  // namespace ringway::engine

#endif  // RINGWAY_TESTS_ENGINE_MALLOC_COUNT_H_
