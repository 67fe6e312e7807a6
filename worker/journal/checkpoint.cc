#include "worker/journal/checkpoint.h"

#include <deque>

#include "journal/state.h"
#include "worker/journal/fields.h"

namespace ringway::worker {

std::string Save(const WorkerNode& node, const journal::Shapes* shapes) {
  return journal::SaveState(node, shapes);
}

bool Load(std::string_view bytes, WorkerNode& node, const journal::Shapes* shapes) {
  std::deque<std::string> words;  // a node points at nothing
  return journal::LoadState(bytes, words, node, shapes);
}

}  // namespace ringway::worker
