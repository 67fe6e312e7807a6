#include "tests/engine/malloc_count.h"

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> calls{0};
std::atomic<std::size_t> largest{0};

void Note(std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed)) return;
  calls.fetch_add(1, std::memory_order_relaxed);
  std::size_t before = largest.load();
  while (bytes > before && !largest.compare_exchange_weak(before, bytes)) {
  }
}

}  // namespace

// glibc's own names for its allocator: what these wrappers fall through to.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  Note(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  Note(count * bytes);
  return __libc_calloc(count, bytes);
}
void* realloc(void* p, std::size_t bytes) {
  Note(bytes);
  return __libc_realloc(p, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  Note(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) {
  Note(bytes);
  *p = __libc_memalign(alignment, bytes);
  return *p == nullptr ? 12 : 0;
}
}

namespace ringway::engine {

void BeginCountingMalloc() {
  calls = 0;
  largest = 0;
  counting = true;
}

MallocCount EndCountingMalloc() {
  counting = false;
  return {calls.load(), largest.load()};
}

}  // namespace ringway::engine
