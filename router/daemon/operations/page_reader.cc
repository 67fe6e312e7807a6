#include "router/daemon/operations/page_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::router {

void PageReader::Read(const std::string& address) {
  if (call_) return;
  const auto parsed = runtime::ParseAddress(address);
  if (!parsed.ok()) return;
  http::ClientRequest request{.host = parsed->host,
                              .port = absl::StrCat(parsed->port),
                              .target = "/metrics",
                              .connect_max = kPatience,
                              .answer_max = kPatience,
                              .body_bytes_max = kPageBytesMax};
  call_.emplace(loop_, std::move(request), [this](const http::ClientAnswer& answer) {
    call_.reset();
    if (answer.whole && answer.status == 200) take_(answer.body);
  });
}

}  // namespace ringway::router
