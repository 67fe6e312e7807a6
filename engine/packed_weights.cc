#include "engine/packed_weights.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace ringway::engine {
namespace {

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void SayOnStandardError(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

}  // namespace

std::shared_ptr<PackedCache> OpenPackedCache(const std::filesystem::path& model,
                                             const EngineOptions& options) {
  PackedCacheOptions cache;
  cache.log = options.log ? options.log : SayOnStandardError;
  const std::string named =
      options.packed_weights.empty() ? FromEnvironment("RINGWAY_PACKED_WEIGHTS") : options.packed_weights;
  if (named.empty()) return nullptr;
  std::error_code error;
  const bool folder = std::filesystem::is_directory(model, error);
  cache.directory = named;
  if (named == "model") cache.directory = (folder ? model : model.parent_path()) / ".packed";
  std::uint64_t gibibytes = 0;
  if (options.packed_weights_bytes_max > 0)
    cache.bytes_max = options.packed_weights_bytes_max;
  else if (absl::SimpleAtoi(FromEnvironment("RINGWAY_PACKED_WEIGHTS_GIB"), &gibibytes) &&
           gibibytes <= (1u << 20))
    cache.bytes_max = static_cast<std::size_t>(gibibytes) << 30;
  return std::make_shared<PackedCache>(std::move(cache));
}

}  // namespace ringway::engine
