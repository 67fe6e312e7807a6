// What an S3-compatible server says: a list of keys, or an error.
//
// A list is one page of ListObjectsV2; keys outside of the prefix that was asked for, or not behind the key
// that it was to begin after, make it no list: whoever goes on behind the last key must get further each
// time. Which of our statuses an error is decides what follows: NotFound is an answer, PermissionDenied asks
// for other credentials, Unavailable and FailedPrecondition for patience, the latter with a person's help.
//
// Source: Amazon S3 API Reference, "ListObjectsV2" and "Error responses". Pure. Bounds: those of xml_text.h.
// Threads: values.
#ifndef RINGWAY_GATEWAY_OBJECTS_S3_ANSWERS_H_
#define RINGWAY_GATEWAY_OBJECTS_S3_ANSWERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "gateway/objects/object_store.h"

namespace ringway::gateway::objects {

// Nothing: no page of such a list.
std::optional<ObjectList> ReadList(std::string_view xml, std::string_view prefix, std::string_view after);

// Of an answer whose HTTP status is not what was hoped for; `body` may be empty or anything.
absl::Status ErrorOf(int http_status, std::string_view body);

}  // namespace ringway::gateway::objects

#endif  // RINGWAY_GATEWAY_OBJECTS_S3_ANSWERS_H_
