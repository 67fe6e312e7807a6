#include "cli/job_options.h"

#include "absl/strings/str_cat.h"
#include "core/time.h"
#include "proto/table_codec.h"
#include "topology/problems.h"

namespace ringway::cli {

void JobOptions::AddTo(flags::Command command) {
  command.Add("--file", file, "payload, for example a picture");
  command.Add("--deadline", deadline, "for example 30s; the tier's if not given");
  command.Add("--param", parameters, "name=value, as often as needed").OneEach();
  const auto text = [&](const char* name, auto set, const char* help) {
    command.AddText(
        name, [this, set](const std::string& value) { set(header, value); }, help);
  };
  text(
      "--prompt", [](v1::JobHeader& h, const std::string& v) { h.set_prompt(v); },
      "what the picture should show");
  text(
      "--tier", [](v1::JobHeader& h, const std::string& v) { h.set_tier(v); }, "needed if there are several");
  text(
      "--priority", [](v1::JobHeader& h, const std::string& v) { h.set_priority(v); },
      "the tier's first if not given");
  text(
      "--tenant", [](v1::JobHeader& h, const std::string& v) { h.set_tenant(v); }, "who pays");
  text(
      "--model", [](v1::JobHeader& h, const std::string& v) { h.set_model(v); }, "model");
  text(
      "--type", [](v1::JobHeader& h, const std::string& v) { h.set_content_type(v); },
      "content type of the payload");
  const auto number = [&](const char* name, auto set, const char* help) {
    command.AddCount(
        name, [this, set](std::uint32_t value) { set(header, value); }, help);
  };
  number(
      "--steps", [](v1::JobHeader& h, std::uint32_t v) { h.set_steps(v); }, "solver steps");
  number(
      "--pixels", [](v1::JobHeader& h, std::uint32_t v) { h.set_pixels(v); }, "pixels of a frame");
  number(
      "--frames", [](v1::JobHeader& h, std::uint32_t v) { h.set_frames(v); }, "frames of the film");
}

absl::Status JobOptions::Complete() {
  header.set_wire_version(wire::kWireVersion);
  if (!deadline.empty()) {
    Duration span;
    if (!ParseDuration(deadline, &span) || span <= ZeroDuration()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--deadline: found ", Quoted(deadline), "; allowed: a duration such as 30s"));
    }
    header.set_deadline_s(ToDoubleSeconds(span));
  }
  for (const std::string& parameter : parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--param: found ", Quoted(parameter), "; allowed: name=value"));
    }
    (*header.mutable_parameters())[parameter.substr(0, equals)] = parameter.substr(equals + 1);
  }
  return absl::OkStatus();
}

}  // namespace ringway::cli
