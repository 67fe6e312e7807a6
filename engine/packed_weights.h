// Where an engine keeps packed weights between openings, if its operator wants that.
//
// EngineOptions name a directory, or RINGWAY_PACKED_WEIGHTS does for programs that have no option of their
// own; "model" means the folder .packed in the model's own. Without either nothing is kept. The bytes that
// may be kept are those of the options, or RINGWAY_PACKED_WEIGHTS_GIB, or 32 GiB. What is refused or cannot
// be kept is said to the options' log, or on standard error.
#ifndef RINGWAY_ENGINE_PACKED_WEIGHTS_H_
#define RINGWAY_ENGINE_PACKED_WEIGHTS_H_

#include <memory>

#include "engine/engine.h"
#include "engine/plan/packed_cache.h"

namespace ringway::engine {

// `model`: its directory, or its single file. Null where nothing is to be kept.
std::shared_ptr<PackedCache> OpenPackedCache(const std::filesystem::path& model,
                                             const EngineOptions& options);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PACKED_WEIGHTS_H_
