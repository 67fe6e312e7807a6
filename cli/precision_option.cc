#include "cli/precision_option.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ringway::cli {

void AddPrecision(CLI::App& command, engine::EngineOptions& options) {
  const std::vector<std::string> names(std::begin(engine::kPrecisionNames),
                                       std::end(engine::kPrecisionNames));
  CLI::Option* named = command
                           .add_option_function<std::string>(
                               "--precision",
                               [&options, names](const std::string& name) {
                                 options.precision = static_cast<engine::Precision>(
                                     std::find(names.begin(), names.end(), name) - names.begin());
                               },
                               "bf16 where the processor multiplies it, if not given; f32; int8: linear "
                               "layers in whole numbers; "
                               "int8-weights: only their weights")
                           ->check(CLI::IsMember(names));
  command
      .add_flag_callback(
          "--full-precision", [&options] { options.precision = engine::Precision::kF32; },
          "the same as --precision f32")
      ->excludes(named);
}

}  // namespace ringway::cli
