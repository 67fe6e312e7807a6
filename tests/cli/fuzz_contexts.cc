// Any bytes as a file of contexts: reading never crashes, and what it lets through is written and read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/context/context_file.h"
#include "core/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace ringway::context;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const absl::StatusOr<Contexts> contexts = ParseContexts(text, "fuzz");
  if (!contexts.ok()) {
    RINGWAY_CHECK(!contexts.status().message().empty());
    return 0;
  }
  RINGWAY_CHECK(contexts->all.size() <= kContextsMax);
  RINGWAY_CHECK(contexts->current.empty() || contexts->Find(contexts->current) != nullptr);
  for (const Context& one : contexts->all) {
    RINGWAY_CHECK(!one.name.empty() && contexts->Find(one.name) == &one);
    RINGWAY_CHECK(WrongAddress(one.controller).empty() && WrongAddress(one.router).empty());
    RINGWAY_CHECK(WrongTokenFile(one.token_file).empty() && WrongTokenFile(one.fleet_token_file).empty());
  }
  const absl::StatusOr<Contexts> again = ParseContexts(ContextsText(*contexts), "again");
  RINGWAY_CHECK(again.ok() && *again == *contexts);
  return 0;
}
