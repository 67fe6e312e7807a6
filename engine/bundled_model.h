// Where the weights that ship with Ringway lie.
//
// First the folder that RINGWAY_MODEL names; then, beside the installed program, ../share/ringway/model;
// then, of the source tree that the program was built in, engine/weights/student and, where no student has
// been distilled, its teacher, engine/weights/teacher. Nothing is loaded here.
#ifndef RINGWAY_ENGINE_BUNDLED_MODEL_H_
#define RINGWAY_ENGINE_BUNDLED_MODEL_H_

#include <filesystem>

#include "absl/status/statusor.h"

namespace ringway::engine {

// NotFound lists the folders that were tried.
absl::StatusOr<std::filesystem::path> FindBundledModel();

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_BUNDLED_MODEL_H_
