// What a router reads back from its own disk, after whatever happened to it: the first byte says what the
// rest is.
//
// e: events of its journal; h: the shapes of another release, and events in them; v: the record of a video;
// g: a segment file; s: a state file. Reading never crashes, and what it lets through can be written and read
// again unchanged.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "gateway/record_codec.h"
#include "router/journal/fields.h"
#include "router/router_event.h"
#include "runtime/segment.h"
#include "runtime/state_file.h"
#include "tests/journal/read_events.h"

namespace ringway::router {
namespace {

void Record(std::string_view bytes) {
  const auto video = gateway::DecodeVideo(std::string(bytes));
  if (!video.ok()) return;
  const std::string once = gateway::EncodeVideo(*video);
  const auto again = gateway::DecodeVideo(once);
  RINGWAY_CHECK(again.ok() && gateway::EncodeVideo(*again) == once);
}

// A file without a name, readable by its path under /proc.
class Unnamed {
 public:
  explicit Unnamed(std::string_view bytes) : fd_(memfd_create("fuzz", 0)) {
    RINGWAY_CHECK(fd_ >= 0 && write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~Unnamed() { close(fd_); }
  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

 private:
  const int fd_;
};

void Segment(std::string_view bytes) {
  std::size_t read = 0;
  const auto end = runtime::ReadSegment(Unnamed(bytes).path(), [&read](std::string_view payload) {
    read += payload.size();
    return absl::OkStatus();
  });
  RINGWAY_CHECK(read <= bytes.size());
  if (!end.ok()) RINGWAY_CHECK(!end.status().message().empty());
}

void State(std::string_view bytes) {
  const auto state = runtime::ReadStateFile(Unnamed(bytes).path(), "fuzz", 1, 2);
  if (state.ok()) RINGWAY_CHECK(state->payload.size() < bytes.size() && state->version <= 2);
}

}  // namespace
}  // namespace ringway::router

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace ringway::router;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0]) {
    case 'e':
      ringway::journal::ReadEvents<RouterEvent>(rest);
      break;
    case 'h':
      ringway::journal::ReadEventsInShapes<RouterEvent>(rest);
      break;
    case 'v':
      Record(rest);
      break;
    case 'g':
      Segment(rest);
      break;
    case 's':
      State(rest);
      break;
    default:
      break;
  }
  return 0;
}
