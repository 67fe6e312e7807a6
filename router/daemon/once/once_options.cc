#include "router/daemon/once/once_options.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "router/wire/once_codec.h"

namespace ringway::router {

std::uint64_t HashOn(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::shared_ptr<const OnceOptions> WishOf(const v1::JobHeader& header, std::uint64_t payload_hash) {
  if (header.idempotency_key().empty()) return nullptr;
  std::uint64_t hash = kFnvBasis;
  const auto add = [&hash](const std::string& field) {
    hash = HashOn(hash, absl::StrCat(field.size(), ":", field));
  };
  add(header.tier());
  add(header.model());
  add(header.content_type());
  add(header.prompt());
  add(absl::StrCat(header.steps(), " ", header.pixels(), " ", header.frames(), " ", payload_hash));
  const std::map<std::string, std::string> parameters(header.parameters().begin(), header.parameters().end());
  for (const auto& [name, value] : parameters) {
    add(name);
    add(value);
  }
  auto wish = std::make_shared<OnceOptions>();
  // Names on the wire have no control characters, so the pair cannot be read in two ways.
  wish->key = absl::StrCat(header.tenant(), "\n", header.idempotency_key());
  wish->fingerprint = hash;
  return wish;
}

void ResultKept::Begin() {
  bytes_.clear();
  complete_ = true;
}

void ResultKept::Add(std::string_view chunk) {
  if (!complete_ || bytes_.size() + chunk.size() > kOnceResultBytesMax) {
    bytes_.clear();
    complete_ = false;
    return;
  }
  bytes_.append(chunk);
}

once::Result ResultKept::With(const v1::End& end) const {
  once::Result result{.end = std::make_shared<const std::string>(end.SerializeAsString())};
  if (complete_) result.bytes = std::make_shared<const std::string>(bytes_);
  return result;
}

}  // namespace ringway::router
