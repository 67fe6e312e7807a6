#include "runtime/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace ringway::runtime {
namespace {

constexpr std::uintptr_t kHugeBytes = std::uintptr_t{1} << 21;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, which the C library does not name yet

// Anonymous memory that may be written: the heap and what stands beside it.
bool IsOurs(const std::string& permissions, const std::string& inode, const std::string& name) {
  return permissions == "rw-p" && inode == "0" && (name.empty() || name == "[heap]");
}

}  // namespace

void UseHugePages() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, name;
    fields >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode >> name;
    begin = (begin + kHugeBytes - 1) & ~(kHugeBytes - 1);
    end &= ~(kHugeBytes - 1);
    if (begin >= end || !IsOurs(permissions, inode, name)) continue;
    void* const at = reinterpret_cast<void*>(begin);
    madvise(at, end - begin, MADV_HUGEPAGE);
    madvise(at, end - begin, kCollapse);
  }
}

}  // namespace ringway::runtime
