// ringway submit [--file FILE] [--prompt TEXT] [--out FILE] ...
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/job_call.h"
#include "cli/result_file.h"
#include "proto/table_codec.h"
#include "topology/problems.h"

namespace ringway::cli {
namespace {

struct SubmitOptions {
  v1::JobHeader header;
  std::string file;
  std::string out;
  std::string deadline;
  std::vector<std::string> parameters;  // name=value
};

absl::Status FillHeader(SubmitOptions& options) {
  v1::JobHeader& header = options.header;
  header.set_wire_version(wire::kWireVersion);
  absl::Duration deadline;
  if (!options.deadline.empty()) {
    if (!absl::ParseDuration(options.deadline, &deadline) || deadline <= absl::ZeroDuration()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--deadline: found ", Quoted(options.deadline), "; allowed: a duration such as 30s"));
    }
    header.set_deadline_s(absl::ToDoubleSeconds(deadline));
  }
  for (const std::string& parameter : options.parameters) {
    const std::size_t equals = parameter.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--param: found ", Quoted(parameter), "; allowed: name=value"));
    }
    (*header.mutable_parameters())[parameter.substr(0, equals)] = parameter.substr(equals + 1);
  }
  return absl::OkStatus();
}

absl::Status OpenPayload(SubmitOptions& options, std::ifstream& payload) {
  if (options.file.empty()) return absl::OkStatus();
  payload.open(options.file, std::ios::binary | std::ios::ate);
  if (!payload) return absl::NotFoundError(absl::StrCat(options.file, ": cannot be opened"));
  options.header.set_payload_bytes(static_cast<std::uint64_t>(payload.tellg()));
  payload.seekg(0);
  return absl::OkStatus();
}

std::string TraceText(const v1::End& end) {
  const v1::JobTrace& trace = end.trace();
  std::string text = absl::StrCat("request  ", trace.request_id(), "\nregion   ", trace.source_region());
  if (trace.region() != trace.source_region()) absl::StrAppend(&text, " -> ", trace.region());
  absl::StrAppend(&text, " (", trace.reason(), ", table ", trace.table_epoch(), ".", trace.table_version(),
                  ")\n");
  absl::StrAppend(&text, "worker   ", trace.worker(), " by router ", trace.router(), ", ", trace.attempts(),
                  " attempts, ", trace.busy(), " busy\n");
  absl::StrAppendFormat(
      &text, "time     waited %.3f s (of that scheduling delay %.3f s), served %.3f s, network %.3f s\n",
      trace.wait_s(), trace.delay_s(), trace.service_s(), trace.network_s());
  return text;
}

int ReportEnd(Session& session, const SubmitOptions& options, const v1::End& end, ResultFile& result) {
  const bool done = end.outcome() == "done";
  if (const absl::Status kept = done ? result.Keep() : absl::OkStatus(); !kept.ok())
    return Fail(session, kept);
  if (session.json) {
    session.out << MessageJson(end);
  } else {
    std::ostream& told = ResultFile::IsStandardOutput(options.out) ? session.err : session.out;
    told << session.Painted(end.outcome(), done ? Style::kGood : Style::kBad);
    if (!end.message().empty()) told << ": " << end.message();
    told << "\n" << TraceText(end);
    told << "result   " << result.bytes() << " bytes"
         << (options.out.empty() ? (result.bytes() > 0 ? ", not kept: --out FILE keeps them" : "")
                                 : " in " + options.out)
         << "\n";
  }
  if (done) return kExitOk;
  return end.outcome() == "rejected" ? kExitRefused : kExitNo;
}

int Submit(Session& session, SubmitOptions& options) {
  if (session.json && ResultFile::IsStandardOutput(options.out))
    return Fail(session, BothOnStandardOutput("--out"));
  if (absl::Status status = FillHeader(options); !status.ok()) {
    Fail(session, status);
    return kExitUsage;
  }
  std::ifstream payload;
  if (absl::Status status = OpenPayload(options, payload); !status.ok()) return Fail(session, status);
  ResultFile result(options.out, session.out);
  const JobEvents events{
      .accepted =
          [&](const v1::Accepted& accepted) {
            session.err << "started on " << accepted.worker() << " in " << accepted.region() << "\n";
          },
      .progress =
          [&](const v1::Progress& progress) {
            session.err << "step " << progress.step() << " of " << progress.steps()
                        << (session.colour ? "\r" : "\n") << std::flush;
          },
      .chunk = [&](std::string_view bytes) { return result.Append(bytes); },
  };
  const absl::StatusOr<v1::End> end =
      RunJob(session.router, options.header, options.file.empty() ? nullptr : &payload, events);
  if (!end.ok()) return Fail(session, end.status());
  return ReportEnd(session, options, *end, result);
}

}  // namespace

void AddSubmitCommand(CLI::App& app, Session& session) {
  CLI::App* submit = app.add_subcommand("submit", "send one job and wait for its result");
  const auto options = std::make_shared<SubmitOptions>();
  v1::JobHeader* header = &options->header;
  submit->add_option("--file", options->file, "payload, for example a picture");
  submit->add_option("--out", options->out, "where the result goes, - for standard output");
  submit->add_option("--deadline", options->deadline, "for example 30s; the tier's if not given");
  submit->add_option("--param", options->parameters, "name=value, as often as needed")
      ->allow_extra_args(false);
  const auto text = [&](const char* name, auto set, const char* help) {
    submit->add_option_function<std::string>(
        name, [header, set](const std::string& value) { set(*header, value); }, help);
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
  text(
      "--key", [](v1::JobHeader& h, const std::string& v) { h.set_idempotency_key(v); },
      "idempotency key: with it the job is done at most once");
  const auto number = [&](const char* name, auto set, const char* help) {
    submit->add_option_function<std::uint32_t>(
        name, [header, set](std::uint32_t value) { set(*header, value); }, help);
  };
  number(
      "--steps", [](v1::JobHeader& h, std::uint32_t v) { h.set_steps(v); }, "solver steps");
  number(
      "--pixels", [](v1::JobHeader& h, std::uint32_t v) { h.set_pixels(v); }, "pixels of a frame");
  number(
      "--frames", [](v1::JobHeader& h, std::uint32_t v) { h.set_frames(v); }, "frames of the film");
  submit->callback(
      [&session, options] { session.run = [&session, options] { return Submit(session, *options); }; });
}

}  // namespace ringway::cli
