// A refusal of a request that names the field it is about, so that a program can show it at the right place.
//
// The name travels with the status as a payload, from wherever a field is read to the answer, where it is
// `param` of OpenAI's errors. It is the name of a field of the body or of the query, or of a header field;
// kBodyField stands for a body that cannot be read at all. Fields of a form that are a part of another one
// (image[], input_reference[image_url]) go by the name of the whole.
//
// Pure. Threads: values. Bounds: kFieldShownMax bytes of a name.
#ifndef RINGWAY_GATEWAY_JOBS_FIELD_ERROR_H_
#define RINGWAY_GATEWAY_JOBS_FIELD_ERROR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace ringway::gateway {

inline constexpr std::string_view kBodyField = "body";
inline constexpr std::size_t kFieldShownMax = 100;

// InvalidArgument. `message` is for people: what was found, what is allowed.
absl::Status FieldError(std::string_view field, std::string_view message);

// The field that the status names; empty: none.
std::string FieldOf(const absl::Status& status);

// The field that a worker's or a router's refusal is about, which comes as words alone: "steps is ...",
// "mask: ...", "unknown setting "colour"", "JobHeader.model: ..."; empty: it names none.
std::string FieldNamedBy(std::string_view message);

}  // namespace ringway::gateway

#endif  // RINGWAY_GATEWAY_JOBS_FIELD_ERROR_H_
