// --precision and its older form --full-precision: what the networks of a model are computed in.
//
// The commands that run a model take the same names (engine.h, kPrecisionNames). Both options at once are a
// mistake of usage, and so is a name that is none.
//
// Pure but for `options`, which must outlive the command.
#ifndef RINGWAY_CLI_PRECISION_OPTION_H_
#define RINGWAY_CLI_PRECISION_OPTION_H_

#include "runtime/flags.h"

#include "engine/engine.h"

namespace ringway::cli {

void AddPrecision(flags::Command command, engine::EngineOptions& options);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_PRECISION_OPTION_H_
