#include "worker/settings.h"

#include <algorithm>
#include <filesystem>
#include "runtime/flags.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/header_text.h"
#include "core/model_set.h"
#include "runtime/bearer_token.h"
#include "runtime/clock.h"
#include "runtime/flags.h"

namespace ringway::worker {
namespace {

constexpr double kSecondsMax = 7 * 24 * 3600;

// What the command line fills in; checked and converted afterwards.
struct Flags {
  double service_mean_s = 1;
  double drain_timeout_s = 300;
  double http_timeout_s = 600;
  double journal_mib = 0;
  std::string law = "lognormal";
  std::string upstream;
  std::string http_api = "post";
  std::string http_body = "form";
  std::string fleet_token_file;
  std::string log_level = "info";
  std::vector<std::string> adapters, controls, words, models;  // NAME=FILE
  double engine_memory_mib = 0;
};

std::string BackendNames() {
  return absl::StrJoin(kBackends, ", ", [](std::string* out, std::string_view name) { out->append(name); });
}

void AddFlags(flags::Command app, Settings& s, Flags& f) {
  Identity& who = s.agent.identity;
  ServiceDrawSettings& draw = s.synthetic.draw;
  app.Add("--name", who.name, "unique name of this worker").Required();
  app.Add("--tier", who.tier, "tier that it serves").Required();
  app.Add("--region", who.region, "region where it stands").Required();
  app.Add("--model", who.model,
          "model that it holds; jobs that name another one are refused. *: any, the server behind it decides "
          "[the tier's name; with backend http: *]");
  app.Add("--listen", s.listen, "host:port for gRPC; port 0 takes a free one").ShowDefault();
  app.Add("--http", s.http, "host:port for /metrics, /healthz, /readyz").ShowDefault();
  app.Add("--port-file", s.port_file, "write the addresses here once it serves");
  app.Add(runtime::kFleetTokenFlag, f.fleet_token_file, runtime::kFleetTokenHelp);
  app.AddFlag(runtime::kFleetTokenOptionalFlag, s.fleet_token_optional, runtime::kFleetTokenOptionalHelp);
  app.Add("--drain-timeout", f.drain_timeout_s, "seconds that a job may still run after SIGTERM")
      .ShowDefault();
  app.Add("--state-dir", s.state_dir, "folder for the journal; without it: nothing is kept on disk");
  app.Add("--journal-mib", f.journal_mib,
          "record every event in the state folder, at most so much, for `ringway sim replay`; 0: off")
      .ShowDefault();
  app.Add("--log-level", f.log_level, "debug, info, warning or error").ShowDefault();
  app.Add("--backend", who.backend, absl::StrCat("what executes the jobs: ", BackendNames())).ShowDefault();
  const char* synthetic = "backend synthetic (sleeps instead of working)";
  app.Add("--service-mean", f.service_mean_s, "mean service time, seconds").Group(synthetic).ShowDefault();
  app.Add("--service-cv", draw.cv, "its coefficient of variation").Group(synthetic).ShowDefault();
  app.Add("--service-law", f.law, "fixed, exponential or lognormal").Group(synthetic).ShowDefault();
  app.Add("--seed", draw.seed, "of the draws").Group(synthetic).ShowDefault();
  app.Add("--steps", s.synthetic.steps, "steps of a job that states none").Group(synthetic).ShowDefault();
  app.Add("--result-bytes", s.synthetic.result_bytes, "size of a result").Group(synthetic).ShowDefault();
  app.Add("--fail-rate", draw.fail_rate, "share of jobs that end with an injected, synthetic fault")
      .Group(synthetic)
      .ShowDefault();
  app.Add("--http-upstream", f.upstream, "URL that the payload is posted to").Group("backend http");
  app.Add("--http-api", f.http_api,
          "post: the answer to the POST is the result; videos: /v1/videos below the URL, polled")
      .OneOf({"post", "videos"})
      .Group("backend http")
      .ShowDefault();
  app.Add("--http-body", f.http_body, "how that API takes a job: form or json")
      .OneOf({"form", "json"})
      .Group("backend http")
      .ShowDefault();
  app.Add("--http-timeout", f.http_timeout_s, "seconds for the whole answer")
      .Group("backend http")
      .ShowDefault();
}

void AddEngineFlags(flags::Command app, EngineSettings& engine, Flags& f) {
  const char* group = "backend engine (animates photos, draws pictures)";
  app.Add("--engine-model", engine.model,
          "model directory, or a single file of Stable Diffusion 1.x; scenes or scenes-teacher, the bundled "
          "ones that draw; if not given the bundled ones, which animate photos and draw pictures")
      .Group(group);
  app.Add("--engine-models", f.models,
          "NAME=DIR, a further model that draws, which jobs ask for by this name; repeatable")
      .OneEach()
      .Group(group);
  app.Add("--engine-memory-mib", f.engine_memory_mib,
          "weights of all models that stay in memory, the longest unused go; 0: no bound")
      .Group(group)
      .In(0.0, 1e8)
      .ShowDefault();
  app.Add("--engine-config", engine.configuration,
          "with a single file: the diffusers directory of the model that it was made of")
      .Group(group);
  app.Add("--engine-lora", f.adapters, "NAME=FILE, a LoRA that jobs may name; repeatable")
      .OneEach()
      .Group(group);
  app.Add("--engine-control", f.controls,
          "NAME=DIR, a control network in diffusers' layout that jobs may name; repeatable")
      .OneEach()
      .Group(group);
  app.Add("--engine-word", f.words,
          "WORD=FILE, a word that prompts may hold and the rows that were learnt for it (textual "
          "inversion); repeatable")
      .OneEach()
      .Group(group);
  app.Add("--engine-pixels-max", engine.pixels_max, "largest picture that jobs may ask for")
      .Group(group)
      .In(64, 2048 * 2048)
      .ShowDefault();
  app.Add("--engine-threads", engine.threads, "threads; 0: as many as there are processors")
      .Group(group)
      .In(0, 256)
      .ShowDefault();
}

// NAME=FILE, of one flag, into names that are told to whoever misspells one.
absl::Status ReadNamedFiles(const char* flag, const std::vector<std::string>& words,
                            std::map<std::string, std::string>& files) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == word.size())
      return absl::InvalidArgumentError(absl::StrCat(flag, " is '", word, "'; allowed: NAME=FILE"));
    if (absl::Status named = HeaderText::CheckName(flag, name); !named.ok()) return named;
    if (name.find_first_of(",:") != std::string::npos)
      return absl::InvalidArgumentError(
          absl::StrCat(flag, " is '", word, "'; a name has no comma and no colon"));
    std::error_code failed;
    if (!std::filesystem::exists(word.substr(equals + 1), failed))
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": ", word.substr(equals + 1), ": there is no such file"));
    if (!files.emplace(name, word.substr(equals + 1)).second)
      return absl::InvalidArgumentError(absl::StrCat(flag, ": the name '", name, "' is given twice"));
  }
  return absl::OkStatus();
}

absl::Status Allowed(const char* flag, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %.12g; allowed are %.12g to %.12g", flag, value, low, high));
}

absl::Status CheckRanges(const Settings& s, const Flags& f) {
  const struct {
    const char* flag;
    double value, low, high;
  } ranges[] = {
      {"--service-mean", f.service_mean_s, 1e-4, kSecondsMax},
      {"--service-cv", s.synthetic.draw.cv, 0, 100},
      {"--fail-rate", s.synthetic.draw.fail_rate, 0, 1},
      {"--steps", static_cast<double>(s.synthetic.steps), 1, SyntheticBackend::kStepsMax},
      {"--result-bytes", static_cast<double>(s.synthetic.result_bytes), 0,
       static_cast<double>(s.agent.node.result_bytes_max)},
      {"--drain-timeout", f.drain_timeout_s, 0, kSecondsMax},
      {"--http-timeout", f.http_timeout_s, 0.001, kSecondsMax},
      {"--journal-mib", f.journal_mib, 0, 1 << 20},
  };
  for (const auto& r : ranges) {
    if (absl::Status status = Allowed(r.flag, r.value, r.low, r.high); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// What its announcements and answers say of it becomes headers and labels at routers.
absl::Status CheckIdentity(const Identity& who) {
  const std::pair<const char*, const std::string*> names[] = {
      {"--name", &who.name}, {"--tier", &who.tier}, {"--region", &who.region}};
  for (const auto& [flag, name] : names) {
    if (absl::Status status = HeaderText::CheckName(flag, *name); !status.ok()) return status;
  }
  return who.model.empty() ? absl::OkStatus() : HeaderText::CheckName("--model", who.model);
}

absl::Status Complete(const Flags& f, Settings& s) {
  if (absl::Status status = CheckIdentity(s.agent.identity); !status.ok()) return status;
  if (absl::Status status = CheckRanges(s, f); !status.ok()) return status;
  if (f.journal_mib > 0 && s.state_dir.empty())
    return absl::InvalidArgumentError("--journal-mib needs --state-dir, where the journal is kept");
  s.agent.journal = s.state_dir + "/journal";
  s.agent.journal_bytes = static_cast<std::uint64_t>(f.journal_mib * (1 << 20));
  auto token = runtime::ReadFleetToken(f.fleet_token_file, s.listen);
  if (!token.ok()) return token.status();
  s.fleet_token = *std::move(token);
  absl::Status named = ReadNamedFiles("--engine-lora", f.adapters, s.engine.adapters);
  if (named.ok()) named = ReadNamedFiles("--engine-control", f.controls, s.engine.controls);
  if (named.ok()) named = ReadNamedFiles("--engine-word", f.words, s.engine.words);
  if (named.ok()) named = ReadNamedFiles("--engine-models", f.models, s.engine.models);
  if (!named.ok()) return named;
  s.engine.memory_bytes_max = static_cast<std::size_t>(f.engine_memory_mib * (1 << 20));
  s.engine.own_name = s.agent.identity.tier;
  const auto level = runtime::ParseLogLevel(f.log_level);
  if (!level)
    return absl::InvalidArgumentError(
        absl::StrCat("--log-level is '", f.log_level, "'; allowed are debug, info, warning, error"));
  s.log_level = *level;
  const auto law = ParseServiceLaw(f.law);
  if (!law)
    return absl::InvalidArgumentError(
        absl::StrCat("--service-law is '", f.law, "'; allowed are fixed, exponential, lognormal"));
  s.synthetic.draw.law = *law;
  s.synthetic.draw.mean = Seconds(f.service_mean_s);
  s.agent.node.slot.service_prior = Seconds(f.service_mean_s);
  s.agent.node.slot.started = runtime::WallNow();
  s.agent.node.slot.drain_max = Seconds(f.drain_timeout_s);
  s.upstream.answer_max = Seconds(f.http_timeout_s);
  s.upstream.body_bytes_max = s.agent.node.result_bytes_max;
  Identity& who = s.agent.identity;
  if (who.model.empty())
    who.model = who.backend == "http" || !s.engine.models.empty() ? std::string(kAnyModel) : who.tier;
  if (who.backend != "http") return absl::OkStatus();
  if (f.upstream.empty()) return absl::InvalidArgumentError("--backend http needs --http-upstream URL");
  auto url = ParseUpstreamUrl(f.upstream);
  if (!url.ok()) return url.status();
  s.upstream.upstream = *std::move(url);
  s.videos_upstream = f.http_api == "videos";
  s.videos_json = f.http_body == "json";
  return absl::OkStatus();
}

}  // namespace

std::variant<Settings, int> ParseCommandLine(int argc, const char* const* argv) {
  flags::Root app("ringway-worker: serves one job at a time");
  app.AddVersion("ringway-worker " RINGWAY_BUILD);
  Settings settings;
  settings.agent.identity.backend = kBackends.front();
  Flags flags;
  AddFlags(app, settings, flags);
  AddEngineFlags(app, settings.engine, flags);
  if (const auto ending = app.Parse(argc, argv)) return flags::Tell(*ending, "ringway-worker");
  absl::Status complete = Complete(flags, settings);
  if (complete.ok()) return settings;
  std::cerr << "ringway-worker: " << complete.message() << "\n";
  return 2;
}

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const Settings& settings, runtime::EventLoop& loop) {
  const Identity& who = settings.agent.identity;
  if (who.backend == "synthetic")
    return std::make_unique<SyntheticBackend>(loop, settings.synthetic, who.name);
  if (who.backend == "http" && settings.videos_upstream) {
    return std::make_unique<VideosBackend>(
        loop, VideosUpstream{.http = settings.upstream, .json = settings.videos_json});
  }
  if (who.backend == "http") return std::make_unique<HttpBackend>(loop, settings.upstream);
  if (who.backend == "engine") return EngineBackend::Open(loop, settings.engine);
  return absl::InvalidArgumentError(
      absl::StrCat("--backend is '", who.backend, "'; allowed are ", BackendNames()));
}

}  // namespace ringway::worker
