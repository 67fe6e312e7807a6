// ringway submit [--file FILE] [--prompt TEXT] [--out FILE] ...
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/context/endpoints.h"
#include "cli/film_format.h"
#include "cli/job_call.h"
#include "cli/job_options.h"
#include "cli/result_file.h"

namespace ringway::cli {
namespace {

struct SubmitOptions {
  JobOptions job;
  std::string out;
};

absl::Status OpenPayload(SubmitOptions& options, std::ifstream& payload) {
  const std::string& file = options.job.file;
  if (file.empty()) return absl::OkStatus();
  payload.open(file, std::ios::binary | std::ios::ate);
  if (!payload) return absl::NotFoundError(absl::StrCat(file, ": cannot be opened"));
  options.job.header.set_payload_bytes(static_cast<std::uint64_t>(payload.tellg()));
  payload.seekg(0);
  return absl::OkStatus();
}

// What a person can do about an end that is not "done"; the router's own message stands before it.
std::string_view Remedy(const v1::End& end) {
  const std::string& outcome = end.outcome();
  if (outcome == "shed")
    return "the fleet has no room for it now; `ringway status` shows where, try again later";
  if (outcome == "busy") return "no worker came free in time; try again";
  if (outcome == "timeout") return "its deadline is too near; --deadline gives it longer";
  if (outcome == "rejected")
    return "the fleet does not take such a job; sent again, it will be refused again";
  return "";
}

// Where the job went, as far as it came: a job that was refused at the door has no region, no worker and no
// times.
std::string CourseText(const v1::End& end) {
  const v1::JobTrace& trace = end.trace();
  std::string text;
  if (!trace.request_id().empty()) absl::StrAppend(&text, "request  ", trace.request_id(), "\n");
  if (!trace.source_region().empty()) {
    absl::StrAppend(&text, "region   ", trace.source_region());
    if (!trace.region().empty() && trace.region() != trace.source_region())
      absl::StrAppend(&text, " -> ", trace.region());
    if (!trace.reason().empty())
      absl::StrAppend(&text, " (", trace.reason(), ", table ", trace.table_epoch(), ".",
                      trace.table_version(), ")");
    text += "\n";
  }
  if (!trace.worker().empty()) {
    absl::StrAppend(&text, "worker   ", trace.worker(), " by router ", trace.router(), "\n");
  }
  if (trace.offers() > 0) {
    absl::StrAppend(&text, "offers   ", trace.offers(), " to workers, ", trace.busy(), " met a busy one\n");
  }
  if (!trace.worker().empty() || trace.wait_s() > 0) {
    absl::StrAppendFormat(
        &text, "time     waited %.3f s (of that scheduling delay %.3f s), served %.3f s, network %.3f s\n",
        trace.wait_s(), trace.delay_s(), trace.service_s(), trace.network_s());
  }
  if (end.outcome() != "done" && trace.worker().empty()) text += "no worker began it\n";
  return text;
}

void TellEnd(Session& session, const SubmitOptions& options, const v1::End& end, std::uint64_t bytes) {
  const bool done = end.outcome() == "done";
  std::ostream& told = ResultFile::IsStandardOutput(options.out) ? session.err : session.out;
  told << session.Painted(end.outcome(), done ? Style::kGood : Style::kBad);
  if (!end.message().empty()) told << ": " << end.message();
  told << "\n" << CourseText(end);
  if (bytes > 0 || done) {
    told << "result   " << bytes << " bytes"
         << (options.out.empty() ? (bytes > 0 ? ", not kept: --out FILE keeps them" : "")
                                 : " in " + options.out)
         << "\n";
  }
  if (const std::string_view remedy = Remedy(end); !done && !remedy.empty())
    told << "remedy   " << remedy << "\n";
  if (!done && end.retry_after_s() > 0)
    told << absl::StrFormat("retry    in %.1f s at the earliest\n", end.retry_after_s());
}

int ReportEnd(Session& session, const SubmitOptions& options, const v1::End& end, ResultFile& result) {
  const bool done = end.outcome() == "done";
  if (const absl::Status kept = done ? result.Keep() : absl::OkStatus(); !kept.ok())
    return Fail(session, kept);
  if (session.json) {
    session.out << MessageJson(end);
  } else {
    TellEnd(session, options, end, result.bytes());
  }
  if (done) return kExitOk;
  return end.outcome() == "rejected" ? kExitRefused : kExitNo;
}

int Submit(Session& session, SubmitOptions& options) {
  if (session.json && ResultFile::IsStandardOutput(options.out))
    return Fail(session, BothOnStandardOutput("--out"));
  absl::Status complete = options.job.Complete();
  if (complete.ok()) complete = ChooseFilmFormat(options.out, options.job.header);
  if (!complete.ok()) {
    Fail(session, complete);
    return kExitUsage;
  }
  if (absl::Status used = UseContext(session); !used.ok()) return Fail(session, used);
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
      RunJob(session.router, options.job.header, options.job.file.empty() ? nullptr : &payload, events);
  if (!end.ok()) return Fail(session, end.status());
  return ReportEnd(session, options, *end, result);
}

}  // namespace

void AddSubmitCommand(flags::Command app, Session& session) {
  flags::Command submit = app.Subcommand("submit", "send one job and wait for its result");
  const auto options = std::make_shared<SubmitOptions>();
  options->job.AddTo(submit);
  submit.Add("--out", options->out,
             "where the result goes, - for standard output; .gif, .apng, .webp or .mp4 chooses the "
             "format of a film");
  submit.AddText(
      "--key", [options](const std::string& key) { options->job.header.set_idempotency_key(key); },
      "idempotency key: with it the job is done at most once");
  submit.OnChosen(
      [&session, options] { session.run = [&session, options] { return Submit(session, *options); }; });
}

}  // namespace ringway::cli
