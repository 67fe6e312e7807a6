// Any bytes as requests and as responses: no crash, no unbounded wait, and the same trace however they are
// cut.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/runtime/http/message_script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using ringway::http::Gist;
  using ringway::http::ReadAll;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t cut = size % 13 + 1;
  if (Gist(ReadAll<true>(text, size + 1)) != Gist(ReadAll<true>(text, cut))) std::abort();
  if (Gist(ReadAll<false>(text, size + 1)) != Gist(ReadAll<false>(text, cut))) std::abort();
  return 0;
}
