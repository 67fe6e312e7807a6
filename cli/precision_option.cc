#include "cli/precision_option.h"

#include <map>
#include <string>

namespace ringway::cli {

void AddPrecision(CLI::App& command, engine::EngineOptions& options) {
  std::map<std::string, engine::Precision> by_name;
  for (std::size_t i = 0; i < std::size(engine::kPrecisionNames); ++i)
    by_name[std::string(engine::kPrecisionNames[i])] = static_cast<engine::Precision>(i);
  CLI::Option* named =
      command
          .add_option("--precision", options.precision,
                      "bf16 where the processor multiplies it, f32, int8 for linear layers, or int8-weights: "
                      "only their weights")
          ->transform(CLI::CheckedTransformer(by_name).description("bf16, f32, int8 or int8-weights"))
          ->option_text("NAME");
  command
      .add_flag_callback(
          "--full-precision", [&options] { options.precision = engine::Precision::kF32; },
          "the same as --precision f32")
      ->excludes(named);
}

}  // namespace ringway::cli
