// The backend of the machine that the engine runs on: the only place above engine/cpu/ that names it.
//
// Pipelines, plans and engines know Backend alone, so that another device is one more line here. What is made
// has found the processor's instruction set; bytes do not depend on the number of threads. The caller keeps
// it for as long as plans that were made with it live. Pure but for asking the processor. Threads: any.
#ifndef RINGWAY_ENGINE_HOST_BACKEND_H_
#define RINGWAY_ENGINE_HOST_BACKEND_H_

#include <memory>

#include "engine/plan/backend.h"

namespace ringway::engine {

// Of so many threads, at least one.
std::unique_ptr<Backend> MakeHostBackend(int threads);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_HOST_BACKEND_H_
