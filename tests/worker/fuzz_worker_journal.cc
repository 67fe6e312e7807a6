// What is read back of a worker's journal, after whatever happened to it: the first byte says what the rest
// is.
//
// e: events; h: the shapes of another release, and events in them; c: settings and a checkpoint. Reading
// never crashes, and what it lets through can be written and read again unchanged.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "core/check.h"
#include "journal/bytes.h"
#include "tests/journal/read_events.h"
#include "worker/journal/checkpoint.h"
#include "worker/journal/fields.h"
#include "worker/worker_node.h"

namespace ringway::worker {
namespace {

void Checkpoint(std::string_view bytes) {
  std::deque<std::string> words;
  journal::Reader reader(bytes, words);
  WorkerSettings settings;
  reader.Take(settings);
  if (!reader.ok() || settings.slot.service_prior <= ZeroDuration()) return;
  WorkerNode node(settings), again(settings);
  if (!Load(reader.left(), node)) return;
  const std::string once = Save(node);
  RINGWAY_CHECK(Load(once, again) && Save(again) == once);
}

}  // namespace
}  // namespace ringway::worker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0]) {
    case 'e':
      ringway::journal::ReadEvents<ringway::WorkerEvent>(rest);
      break;
    case 'h':
      ringway::journal::ReadEventsInShapes<ringway::WorkerEvent>(rest);
      break;
    case 'c':
      ringway::worker::Checkpoint(rest);
      break;
    default:
      break;
  }
  return 0;
}
