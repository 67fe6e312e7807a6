// How long a client may take to send a job's payload, and how many of its payloads may be slow at a time.
//
// A job holds one of the router's places from its header on, and its deadline may be a week, so an upload
// has bounds of its own: so long between two chunks, and so long altogether. One that is not there after
// `grace` is late, and a client, which is an address whatever its connections, may have only so many late
// ones: nobody can fill the router with headers alone. Bursts of whole jobs are never late and count nothing.
//
// Only what the client sends while the job has not begun is an upload; a payload too large to be kept flows
// on to a worker, which has bounds of its own. Bound: an entry for each client with a late upload, so at most
// one a job. Threads: the loop's.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_UPLOAD_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_UPLOAD_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "core/job.h"
#include "core/time.h"
#include "runtime/event_loop.h"

namespace ringway::router {

struct UploadBounds {
  Duration idle_max = Seconds(30);    // between two chunks
  Duration whole_max = Seconds(120);  // from the header to the end
  Duration grace = Seconds(2);        // later is late
  std::size_t late_max = 1024;        // of one client
};

// Late uploads, by client.
using LateUploads = std::map<std::string, std::size_t>;

class Upload {
 public:
  // Called once, and may destroy the upload.
  using GiveUp = std::function<void(Outcome outcome, const std::string& why)>;

  // `client`: its address, without a port; empty: a router, whose late uploads are not counted.
  Upload(runtime::EventLoop& loop, LateUploads& late, const UploadBounds& bounds, std::string client,
         Time deadline, GiveUp give_up);
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // A chunk has come.
  void Heard();

 private:
  void Look();
  void End(Outcome outcome, const std::string& why);

  LateUploads& late_;
  const UploadBounds bounds_;
  const std::string client_;
  const Time began_;
  const Time deadline_;
  GiveUp give_up_;
  Time heard_;
  bool is_late_ = false;  // and counted
  runtime::Alarm alarm_;
};

// The address in what gRPC calls a peer, without the port: "ipv4:10.0.0.7:51324" is "ipv4:10.0.0.7".
std::string ClientOf(const std::string& peer);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_UPLOAD_H_
