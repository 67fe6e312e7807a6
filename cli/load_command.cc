// ringway load [--rate R | --trace FILE] [--duration 60s] [--arrivals poisson|gamma] ...
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/admin_client.h"
#include "cli/animation.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/demo/interrupt.h"
#include "cli/job_options.h"
#include "cli/load/entries.h"
#include "cli/load/sender.h"
#include "sim/demand/trace.h"
#include "topology/problems.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

constexpr std::uintmax_t kPayloadBytesMax = 64u << 20;
// A job ends at its deadline, which is the tier's where none is given; this only bounds a router that is
// silent.
constexpr Duration kSilentLimit = Minutes(10);
constexpr Duration kCallSlack = Seconds(5);
// What a worker with the bundled engine makes in a moment, of a picture of our own.
constexpr char kSamplePrompt[] = "zoom in slowly";
constexpr char kSampleSide[] = "96";
constexpr std::uint32_t kSampleFrames = 8;

struct LoadOptions {
  JobOptions job;
  load::ArrivalPlan plan;
  std::string trace;
  std::string trace_column;
  sim::TraceUnit trace_unit = sim::TraceUnit::kFound;
  std::string duration;
  std::vector<std::string> regions;
  std::vector<std::string> entries;
  double success_min = 0;
  bool rate_given = false;
};

absl::Status CompletePlan(LoadOptions& options) {
  if (!options.trace.empty()) {
    const absl::StatusOr<std::string> text = ReadTextFile(options.trace);
    if (!text.ok()) return text.status();
    absl::StatusOr<sim::Trace> trace =
        sim::ParseTraceCsv(*text, options.trace, options.trace_column, options.trace_unit);
    if (!trace.ok()) return trace.status();
    if (trace->offsets_s.size() < 2 || trace->offsets_s.back() <= 0)
      return absl::InvalidArgumentError(
          absl::StrCat(options.trace, ": fewer than two arrivals at different times"));
    options.plan.trace_s = std::make_shared<std::vector<double>>(std::move(trace->offsets_s));
    if (!options.rate_given) options.plan.rate_rps = 0;
  }
  // A trace ends by itself.
  const std::string span = options.duration.empty() && options.trace.empty() ? "30s" : options.duration;
  if (span.empty()) return absl::OkStatus();
  Duration duration;
  if (!ParseDuration(span, &duration) || duration <= ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--duration: found ", Quoted(span), "; allowed: a duration such as 30s or 5m"));
  }
  options.plan.length_s = ToDoubleSeconds(duration);
  return absl::OkStatus();
}

absl::StatusOr<load::Shipment> ShipmentOf(LoadOptions& options) {
  JobOptions& job = options.job;
  if (absl::Status complete = job.Complete(); !complete.ok()) return complete;
  load::Shipment shipment;
  const bool sample = job.file.empty() && job.header.prompt().empty() && job.parameters.empty();
  if (sample || !job.file.empty()) {
    absl::StatusOr<std::string> payload = PhotoFor(job.file);  // a payload may be anything; its bound holds
    if (!payload.ok()) return payload.status();
    shipment.payload = *std::move(payload);
  }
  if (sample) {
    job.header.set_prompt(kSamplePrompt);
    job.header.set_content_type("image/png");
    (*job.header.mutable_parameters())["side"] = kSampleSide;
    if (job.header.frames() == 0) job.header.set_frames(kSampleFrames);
  }
  job.header.set_payload_bytes(shipment.payload.size());
  shipment.header = job.header;
  shipment.limit = job.header.deadline_s() > 0 ? Seconds(job.header.deadline_s()) + kCallSlack : kSilentLimit;
  return shipment;
}

absl::StatusOr<std::vector<load::Entry>> FindEntries(Session& session, const LoadOptions& options) {
  if (!options.entries.empty()) {
    if (!options.regions.empty())
      return absl::InvalidArgumentError("--entry names routers and --region regions; give one of the two");
    return std::vector<load::Entry>{{.region = "(named)", .routers = options.entries}};
  }
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return admin.status();
  const absl::StatusOr<v1::StatusReply> fleet = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!fleet.ok()) {
    return absl::Status(
        fleet.status().code(),
        absl::StrCat(fleet.status().message(),
                     "\nwithout a controller, --entry HOST:PORT names the routers where jobs enter"));
  }
  return load::EntriesOf(*fleet, options.regions);
}

void Introduce(Session& session, const LoadOptions& options, const std::vector<load::Entry>& entries) {
  if (session.json) return;
  std::size_t routers = 0;
  for (const load::Entry& entry : entries) routers += entry.routers.size();
  const load::ArrivalPlan& plan = options.plan;
  session.err << "sending ";
  if (plan.trace_s != nullptr) session.err << "the arrivals of " << options.trace;
  if (plan.trace_s != nullptr && plan.rate_rps > 0) session.err << " at ";
  if (plan.rate_rps > 0) session.err << absl::StrFormat("%g jobs a second", plan.rate_rps);
  if (!std::isinf(plan.length_s)) session.err << absl::StrFormat(" for %g s", plan.length_s);
  session.err << " to " << routers << (routers == 1 ? " router" : " routers") << " in " << entries.size()
              << (entries.size() == 1 ? " region" : " regions") << "; Ctrl-C stops it\n";
}

int Load(Session& session, LoadOptions& options) {
  demo::Interrupt interrupt;  // before any thread starts
  if (absl::Status plan = CompletePlan(options); !plan.ok()) {
    const int code = Fail(session, plan);
    return plan.code() == absl::StatusCode::kInvalidArgument ? kExitUsage : code;
  }
  absl::StatusOr<load::Shipment> shipment = ShipmentOf(options);
  if (!shipment.ok()) {
    const int code = Fail(session, shipment.status());
    return shipment.status().code() == absl::StatusCode::kInvalidArgument ? kExitUsage : code;
  }
  absl::StatusOr<std::vector<load::Entry>> entries = FindEntries(session, options);
  if (!entries.ok()) return Fail(session, entries.status());
  Introduce(session, options, *entries);
  load::Sender sender(session, *entries, *std::move(shipment), options.plan.seed);
  const double took_s = sender.Run(load::Arrivals(options.plan), interrupt);
  const load::Summary& summary = sender.summary();
  if (session.json) {
    JsonWriter json;
    summary.WriteJson(took_s, json);
    session.out << json.text() << "\n";
  } else {
    session.out << summary.Text(took_s, session.colour);
  }
  const load::Counts& all = summary.all();
  const double due = static_cast<double>(all.sent + summary.not_sent());
  return due > 0 && static_cast<double>(all.done) >= options.success_min * due && all.done > 0 ? kExitOk
                                                                                               : kExitNo;
}

}  // namespace

void AddLoadCommand(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("load", "send jobs at a rate or as a trace tells, and say what came of them");
  const auto options = std::make_shared<LoadOptions>();
  command.Footer(
      "Jobs are sent when they are due, whatever became of the ones before. Without --file, --prompt and "
      "--param each\n"
      "is a small picture of Ringway's own, which the bundled engine animates in a moment.");
  command
      .AddNumber(
          "--rate",
          [options](const double& rate) {
            options->plan.rate_rps = rate;
            options->rate_given = true;
          },
          "jobs a second, over all regions; of a trace: its own rate if not given [1]")
      .In(0.001, load::kRateMax);
  command.Add("--duration", options->duration,
              "how long jobs are sent, for example 30s or 5m [30s; a trace's own]");
  AddChoice<load::Law>(command, "--arrivals", options->plan.law,
                       {{"poisson", load::Law::kPoisson}, {"gamma", load::Law::kGamma}},
                       "the law of the gaps");
  command
      .Add("--cv", options->plan.cv, "of the gamma law: coefficient of variation of the gaps, 1 is Poisson")
      .In(0.05, 20.0)
      .ShowDefault();
  command.Add("--trace", options->trace, "CSV of recorded arrivals, with a column of times");
  command.Add("--trace-column", options->trace_column, "its column of times [found by its name]");
  using Unit = sim::TraceUnit;
  AddChoice<Unit>(command, "--trace-unit", options->trace_unit,
                  {{"auto", Unit::kFound},
                   {"s", Unit::kSeconds},
                   {"ms", Unit::kMilliseconds},
                   {"us", Unit::kMicroseconds},
                   {"ns", Unit::kNanoseconds}},
                  "of its numbers");
  command.Add("--seed", options->plan.seed, "of the arrivals").ShowDefault();
  command
      .Add("--region", options->regions,
           "REGION or REGION=SHARE where jobs enter; repeatable [all, equal parts]")
      .OneEach();
  command
      .Add("--entry", options->entries,
           "host:port of a router where jobs enter, no controller is asked; repeatable")
      .OneEach();
  command.Add("--success-min", options->success_min, "exit code 1 where a smaller share of the jobs is done")
      .In(0.0, 1.0);
  options->job.AddTo(command);
  command.OnChosen(
      [&session, options] { session.run = [&session, options] { return Load(session, *options); }; });
}

}  // namespace ringway::cli
