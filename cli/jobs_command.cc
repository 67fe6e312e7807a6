// ringway jobs [--tier TIER] [--region REGION] [--state STATE] [--limit N] [--watch [SECONDS]], ringway
// cancel JOB
#include <algorithm>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/jobs_listed.h"
#include "cli/operations_client.h"
#include "cli/operator_action.h"
#include "cli/watch.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

struct JobsOptions {
  v1::ListJobsRequest asked;
  std::string region;
  std::size_t limit = 50;
};

Style StyleOf(const std::string& state) { return state == "running" ? Style::kGood : Style::kPlain; }

std::string TableOf(const std::vector<v1::JobListing>& jobs, const JobsListed& listed, bool colour) {
  TextTable table(
      {{"JOB"}, {"TIER"}, {"PRIORITY"}, {"STATE"}, {"AGE", Align::kRight}, {"REGION"}, {"WORKER"}});
  for (const v1::JobListing& job : jobs) {
    table.Add({job.id(),
               job.tier(),
               job.priority(),
               {job.state(), StyleOf(job.state())},
               SpanText(job.age_s()),
               job.region().empty() ? "-" : job.region(),
               job.worker().empty() ? "-" : job.worker()});
  }
  std::string text = table.empty() ? "no such jobs\n" : table.Render(colour);
  if (listed.plain_requests > 0) {
    absl::StrAppend(&text, listed.plain_requests,
                    " plain HTTP requests, which have no ids, are not listed\n");
  }
  if (listed.left_out > 0) absl::StrAppend(&text, "and ", listed.left_out, " younger jobs (--limit)\n");
  return text;
}

absl::StatusOr<std::string> LookAtJobs(Session& session, const JobsOptions& options,
                                       const WatchChoice& watch) {
  absl::StatusOr<OperationsClient> routers = OperationsClient::Connect(session);
  if (!routers.ok()) return routers.status();
  // Not by state: of a job that two routers list, the one that serves it knows better.
  v1::ListJobsRequest asked = options.asked;
  asked.clear_state();
  const auto replies = routers->Jobs(asked);
  if (!replies.ok()) return replies.status();
  const std::string note = LookNote(session, watch, routers->Silent());
  JobsListed listed = Listed(*replies);
  std::erase_if(listed.jobs, [&options](const v1::JobListing& job) {
    return (!options.region.empty() && job.region() != options.region) ||
           (!options.asked.state().empty() && job.state() != options.asked.state());
  });
  std::vector<v1::JobListing>& jobs = listed.jobs;
  if (jobs.size() > options.limit) {
    listed.left_out += jobs.size() - options.limit;
    jobs.resize(options.limit);
  }
  if (session.json) {
    JsonWriter json;
    json.BeginObject().Key("jobs").BeginArray();
    for (const v1::JobListing& job : jobs) json.Raw(MessageJson(job));
    json.End().Key("left_out").Raw(absl::StrCat(listed.left_out));
    json.Key("plain_requests").Raw(absl::StrCat(listed.plain_requests)).End();
    return LookJson(json.text(), watch);
  }
  return TableOf(jobs, listed, session.colour) + note;
}

// Names that were meant, where no router knows the job.
absl::Status Unknown(OperationsClient& routers, const absl::Status& status, const std::string& job) {
  if (status.code() != absl::StatusCode::kNotFound) return status;
  std::string text(status.message());
  if (text.empty())
    text = absl::StrCat("no router has a job \"", job, "\", or remembers one that ended lately");
  if (!routers.Silent().empty()) absl::StrAppend(&text, "; ", routers.Silent());
  const auto replies = routers.Jobs(v1::ListJobsRequest());
  std::vector<std::string> known;
  if (replies.ok()) {
    for (const v1::JobListing& here : Listed(*replies).jobs) known.push_back(here.id());
  }
  return WithNearest(absl::NotFoundError(text), job, known);
}

int Cancel(Session& session, v1::CancelRequest request) {
  absl::StatusOr<OperationsClient> routers = OperationsClient::Connect(session);
  if (!routers.ok()) return Fail(session, routers.status());
  request.mutable_by()->set_who(OperatorName());
  const auto replies = routers->Cancel(request);
  if (!replies.ok()) return Fail(session, Unknown(*routers, replies.status(), request.job()));
  bool cancelled = false;
  std::string ended;
  JsonWriter json;
  json.BeginObject().Key("routers").BeginArray();
  for (const v1::CancelReply& reply : *replies) {
    json.Raw(MessageJson(reply));
    cancelled = cancelled || reply.cancelled() > 0 || reply.ended() == "cancelled";
    if (!reply.ended().empty()) ended = reply.ended();
  }
  json.End().End();
  if (session.json) {
    session.out << json.text() << "\n";
  } else {
    session.out << "job " << request.job()
                << (cancelled ? " is cancelled" : absl::StrCat(" had ended before: ", ended)) << "\n";
  }
  return cancelled ? kExitOk : kExitNo;
}

}  // namespace

void AddJobsCommands(flags::Command app, Session& session) {
  flags::Command jobs = app.Subcommand("jobs", "the jobs that are in the fleet now, the oldest first");
  const auto options = std::make_shared<JobsOptions>();
  jobs.AddText(
      "--tier", [options](const std::string& tier) { options->asked.set_tier(tier); },
      "only jobs of this tier");
  jobs.Add("--region", options->region, "only jobs that run, or are offered, in this region");
  jobs.AddText(
          "--state", [options](const std::string& state) { options->asked.set_state(state); },
          "only jobs in this state")
      .TypeName("uploading|waiting|offering|running")
      .Check(OneOf({"uploading", "waiting", "offering", "running"}));
  jobs.Add("--limit", options->limit, "how many are shown").In(1, 1'000'000).ShowDefault();
  const auto watch = AddWatchOption(jobs);
  jobs.OnChosen([&session, options, watch] {
    session.run = [&session, options, watch] {
      return Watch(session, *watch, [&] { return LookAtJobs(session, *options, *watch); });
    };
  });

  flags::Command cancel = app.Subcommand("cancel", "end one job, wherever it is");
  const auto request = std::make_shared<v1::CancelRequest>();
  cancel
      .AddText(
          "JOB", [request](const std::string& job) { request->set_job(job); },
          "the id that `ringway jobs` shows")
      .Required();
  cancel.AddText(
      "--why", [request](const std::string& why) { request->mutable_by()->set_why(why); },
      "reason, for whoever sent the job and for the routers' logs");
  cancel.OnChosen(
      [&session, request] { session.run = [&session, request] { return Cancel(session, *request); }; });
}

}  // namespace ringway::cli
