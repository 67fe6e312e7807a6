#include "router/daemon/videos_flags.h"

#include "absl/strings/str_cat.h"
#include "gateway/answer_fields.h"
#include "gateway/jobs/video_id.h"
#include "gateway/objects/s3_settings.h"
#include "gateway/webhook_signature.h"
#include "runtime/address.h"
#include "runtime/bearer_token.h"

namespace ringway::router {
namespace {

constexpr double kMebibyte = 1 << 20;
// A file name has 255 bytes; the id of a job is the beginning of some.
constexpr std::size_t kIdBytesMax = 200;

absl::Status CheckRanges(const VideosFlags& f) {
  const struct {
    const char* flag;
    double value, low, high;
  } ranges[] = {{"--videos-store-mib", f.store_mib_max, 1, 1 << 24},
                {"--videos-film-mib", f.film_mib_max, 0, f.store_mib_max},
                {"--videos-expiry-secs", f.expiry_s, 1, 365 * 24 * 3600},
                {"--videos-jobs-max", f.jobs_max, 1, 8192},
                {"--videos-body-mib", f.body_mib_max, 1.0 / 1024, 4096},
                {"--videos-bodies-mib", f.bodies_mib_max, 1, 1 << 20},
                {"--videos-body-secs", f.body_limit_s, 1, 24 * 3600},
                {"--videos-connections-max", f.connections_max, 1, 1e6}};
  for (const auto& r : ranges) {
    if (r.value >= r.low && r.value <= r.high) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(r.flag, " is ", r.value, "; allowed are ", r.low, " to ", r.high));
  }
  return absl::OkStatus();
}

absl::Status CheckAddresses(const gateway::VideosSettings& s) {
  std::vector<std::pair<const char*, std::string>> addresses = {{"--videos-listen", s.listen}};
  if (!s.advertise.empty()) addresses.push_back({"--videos-advertise", s.advertise});
  for (const std::string& host : s.webhook_hosts) addresses.push_back({"--videos-webhook-host", host});
  for (const auto& [flag, text] : addresses) {
    const auto parsed = runtime::ParseAddress(text);
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat(flag, ": ", parsed.status().message()));
  }
  return absl::OkStatus();
}

absl::Status ReadSecrets(const VideosFlags& f, gateway::VideosSettings& s) {
  if (!f.token_file.empty()) {
    auto token = runtime::ReadTokenFile("--videos-token-file", f.token_file);
    if (!token.ok()) return token.status();
    s.token = *std::move(token);
  }
  if (f.webhook_secret_file.empty()) return absl::OkStatus();
  constexpr char kFlag[] = "--videos-webhook-secret-file";
  const auto secret = runtime::ReadTokenFile(kFlag, f.webhook_secret_file);
  if (!secret.ok()) return secret.status();
  auto key = gateway::ReadWebhookSecret(*secret);
  if (!key.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kFlag, " ", f.webhook_secret_file, ": ", key.status().message()));
  }
  s.webhook_key = *std::move(key);
  return absl::OkStatus();
}

absl::Status ReadSharedStore(const VideosFlags& f, gateway::VideosSettings& s) {
  constexpr char kFlag[] = "--videos-shared-store", kFile[] = "--videos-shared-store-credentials";
  if (f.shared_store.empty()) {
    if (f.shared_store_credentials.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(kFile, " is given without ", kFlag, " URL"));
  }
  auto place = gateway::objects::ReadS3Place(f.shared_store);
  if (!place.ok()) return absl::InvalidArgumentError(absl::StrCat(kFlag, " ", place.status().message()));
  auto credentials = gateway::objects::LoadCredentials(f.shared_store_credentials);
  if (!credentials.ok())
    return absl::InvalidArgumentError(absl::StrCat(kFile, ": ", credentials.status().message()));
  s.shared_store = gateway::objects::S3Settings{.place = *std::move(place),
                                                .region = f.shared_store_region,
                                                .credentials_file = f.shared_store_credentials,
                                                .credentials = *std::move(credentials)};
  s.limits.shares = true;
  return absl::OkStatus();
}

// Nothing here asks who a client is but the token.
absl::Status CheckReach(const gateway::VideosSettings& s) {
  const auto listen = runtime::ParseAddress(s.listen);
  if (!s.token.empty() || s.open || (listen.ok() && runtime::IsLoopback(*listen))) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--videos-listen is ", s.listen,
      ", which other machines can reach: give --videos-token-file FILE with the key that clients must "
      "present, or --videos-open to let anybody in who reaches the port"));
}

}  // namespace

void AddVideosFlags(flags::Command app, gateway::VideosSettings& s, VideosFlags& f) {
  const char* group = "videos API";
  const auto number = [&](const char* name, double& value, const char* help) {
    app.Add(name, value, help).Group(group).ShowDefault();
  };
  app.Add("--videos-listen", s.listen, "host:port for the HTTP API /v1/videos; without it: not served")
      .Group(group);
  app.Add("--videos-advertise", s.advertise,
          "host:port where other routers reach that API [what it listens on]")
      .Group(group);
  app.Add("--videos-store", s.store, "folder for jobs and results [videos in --state-dir]").Group(group);
  app.Add("--videos-token-file", f.token_file, "file with the API key that clients must present")
      .Group(group);
  app.AddFlag(
         "--videos-open", s.open,
         "serve other machines without a token: whoever reaches the port may make, see and delete videos")
      .Group(group);
  app.Add("--videos-host", s.hosts,
          "name that Host may have where no token is asked for; repeatable [addresses and localhost]")
      .Group(group);
  app.Add("--videos-cors-origin", s.cors_origins,
          "origin whose pages may use the API from a browser, https://HOST[:PORT] or *; repeatable [none]")
      .Group(group);
  app.Add("--videos-webhook-host", s.webhook_hosts,
          "host:port that completion webhooks may go to; repeatable; none: no webhooks")
      .Group(group);
  app.Add("--videos-webhook-secret-file", f.webhook_secret_file,
          "file with whsec_BASE64, which webhooks are signed with [they are not signed]")
      .Group(group);
  app.Add(
         "--videos-shared-store", f.shared_store,
         "http://HOST[:PORT]/BUCKET[/PREFIX] of an S3-compatible server, where finished videos outlive their "
         "router [they do not]")
      .Group(group);
  app.Add("--videos-shared-store-region", f.shared_store_region, "region that requests to it are signed for")
      .Group(group)
      .ShowDefault();
  app.Add("--videos-shared-store-credentials", f.shared_store_credentials,
          "file with aws_access_key_id and aws_secret_access_key [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY]")
      .Group(group);
  number("--videos-store-mib", f.store_mib_max, "results kept; the oldest make room");
  number("--videos-film-mib", f.film_mib_max, "largest result; 0: a quarter of --videos-store-mib");
  number("--videos-expiry-secs", f.expiry_s, "how long a job and its result are kept after its end");
  number("--videos-jobs-max", f.jobs_max, "jobs queued and running at a time");
  number("--videos-body-mib", f.body_mib_max, "largest request");
  number("--videos-bodies-mib", f.bodies_mib_max, "requests in memory, all together");
  number("--videos-body-secs", f.body_limit_s, "how long a request may take to arrive");
  number("--videos-connections-max", f.connections_max, "connections at a time; more wait");
}

absl::Status CompleteVideos(const VideosFlags& f, Settings& settings) {
  gateway::VideosSettings& s = settings.videos;
  if (s.listen.empty()) return absl::OkStatus();
  if (absl::Status status = CheckRanges(f); !status.ok()) return status;
  if (absl::Status status = CheckAddresses(s); !status.ok()) return status;
  for (const std::string& origin : s.cors_origins)
    if (absl::Status status = gateway::CheckOrigin(origin); !status.ok()) return status;
  s.router = settings.name;
  s.hosts.emplace_back(gateway::kPeerHost);
  s.region = settings.region;
  s.fleet_token = settings.fleet_token;
  if (gateway::VideoId{.created_s = 0, .draw = 0, .owner = s.router}.Text().size() > kIdBytesMax) {
    return absl::InvalidArgumentError(
        "--name is too long for the videos API, whose jobs carry it in their ids");
  }
  if (s.store.empty()) {
    if (settings.state_dir.empty()) {
      return absl::InvalidArgumentError("--videos-listen needs --videos-store DIR, or --state-dir DIR");
    }
    s.store = settings.state_dir + "/videos";
  }
  s.limits.store_bytes_max = static_cast<std::uint64_t>(f.store_mib_max * kMebibyte);
  s.limits.film_bytes_max = f.film_mib_max > 0 ? static_cast<std::uint64_t>(f.film_mib_max * kMebibyte)
                                               : s.limits.store_bytes_max / 4;
  s.limits.expiry = Seconds(f.expiry_s);
  s.limits.live_max = static_cast<std::size_t>(f.jobs_max);
  s.body_bytes_max = static_cast<std::size_t>(f.body_mib_max * kMebibyte);
  s.bodies_bytes_max = static_cast<std::size_t>(f.bodies_mib_max * kMebibyte);
  s.body_limit = Seconds(f.body_limit_s);
  s.connections_max = static_cast<std::size_t>(f.connections_max);
  if (absl::Status status = ReadSecrets(f, s); !status.ok()) return status;
  if (absl::Status status = ReadSharedStore(f, s); !status.ok()) return status;
  return CheckReach(s);
}

}  // namespace ringway::router
