// All that a worker's node has become, as bytes, and back (journal/state.h). A node made from the same
// settings, and loaded with them, decides as the first one goes on to.
//
// Settings are not among them: the journal has them apart. Size: some 150 bytes, and a dozen more for each
// result on its way out. Pure.
#ifndef RINGWAY_WORKER_JOURNAL_CHECKPOINT_H_
#define RINGWAY_WORKER_JOURNAL_CHECKPOINT_H_

#include <string>
#include <string_view>

#include "journal/shape.h"
#include "worker/worker_node.h"

namespace ringway::worker {

std::string Save(const WorkerNode& node, const journal::Shapes* shapes = nullptr);
// Into a node that is as new. False: the bytes are damaged; the node is of no use then.
bool Load(std::string_view bytes, WorkerNode& node, const journal::Shapes* shapes = nullptr);

}  // namespace ringway::worker

#endif  // RINGWAY_WORKER_JOURNAL_CHECKPOINT_H_
