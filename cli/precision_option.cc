#include "cli/precision_option.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ringway::cli {

void AddPrecision(flags::Command command, engine::EngineOptions& options) {
  const std::vector<std::string> names(std::begin(engine::kPrecisionNames),
                                       std::end(engine::kPrecisionNames));
  flags::Option named = command
                            .AddText(
                                "--precision",
                                [&options, names](const std::string& name) {
                                  options.precision = static_cast<engine::Precision>(
                                      std::find(names.begin(), names.end(), name) - names.begin());
                                },
                                "bf16 where the processor multiplies it, if not given; f32; int8: linear "
                                "layers in whole numbers; "
                                "int8-weights: only their weights")
                            .OneOf(names);
  command
      .AddFlag(
          "--full-precision", [&options] { options.precision = engine::Precision::kF32; },
          "the same as --precision f32")
      .Excludes(named);
}

}  // namespace ringway::cli
