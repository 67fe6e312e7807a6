// The flags of ringway-router that are about the videos API.
//
// They fill gateway::VideosSettings; sizes are given in MiB and times in seconds, and converted here.
// The API is served when --videos-listen is given. Errors name the flag, what was given and what is allowed.
// Threads: called once, before anything starts.
#ifndef RINGWAY_ROUTER_DAEMON_VIDEOS_FLAGS_H_
#define RINGWAY_ROUTER_DAEMON_VIDEOS_FLAGS_H_

#include <string>
#include "runtime/flags.h"

#include "absl/status/status.h"
#include "router/daemon/settings.h"

namespace ringway::router {

// What the command line fills in; checked and converted afterwards.
struct VideosFlags {
  double film_mib_max = 0;
  double store_mib_max = 4096;
  double expiry_s = 3600;
  double jobs_max = 1024;
  double body_mib_max = 64;
  double bodies_mib_max = 512;
  double body_limit_s = 120;
  double connections_max = 8192;
  std::string token_file;
  std::string webhook_secret_file;
  std::string shared_store;
  std::string shared_store_region = "us-east-1";
  std::string shared_store_credentials;
};

void AddVideosFlags(flags::Command app, gateway::VideosSettings& settings, VideosFlags& flags);
absl::Status CompleteVideos(const VideosFlags& flags, Settings& settings);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_VIDEOS_FLAGS_H_
