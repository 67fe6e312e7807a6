#include "proto/json_message.h"

#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace ringway::wire {

absl::Status ReadJsonMessage(std::string_view text, std::string_view what, const JsonLimits& limits,
                             google::protobuf::Message& message) {
  if (const auto json = Json::Parse(text, what, limits); !json.ok()) return json.status();
  const auto read = google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &message);
  if (read.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(std::string(what), " is not what is taken here: ",
                                                 std::string(read.message().data(), read.message().size())));
}

}  // namespace ringway::wire
