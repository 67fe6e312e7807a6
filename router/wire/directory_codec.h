// A controller's directory, as the node of a router takes it: names become numbers, and nothing else.
//
// Who cannot be called, or stands in a region or serves a tier that this router's map does not have, is left
// out (a map that has it will come); so is the router itself. Of workers only those of the own region count.
// A leader without an address is nobody that can be called, unless it is the router itself. Whether the
// directory counts at all is for the node to decide.
//
// Threads: pure functions; the numbers are whose who is asked for them. Complexity: linear in the directory.
#ifndef RINGWAY_ROUTER_WIRE_DIRECTORY_CODEC_H_
#define RINGWAY_ROUTER_WIRE_DIRECTORY_CODEC_H_

#include <cstddef>
#include <string>

#include "core/fleet.h"
#include "core/ids.h"
#include "core/time.h"
#include "ringway/v1/fleet.pb.h"
#include "router/node_event.h"

namespace ringway::router {

// The numbers of this process.
class DirectoryNumbers {
 public:
  virtual ~DirectoryNumbers() = default;
  // Invalid: there is no room for one more.
  virtual RouterId RouterNamed(const std::string& name) = 0;
  virtual WorkerId WorkerAt(const std::string& address) = 0;
  // `said` by the directory; invalid: one that the fleet does not have.
  virtual TierId TierOf(WorkerId worker, const std::string& said) = 0;
};

struct DirectoryReader {
  const std::string& router;  // own name
  const std::string& region;
  const Fleet& fleet;
  Time now;
};

struct DirectoryRead {
  DirectoryHeard heard;
  bool routers_full = false;         // not all routers have numbers
  std::size_t workers_left_out = 0;  // for want of numbers
};

DirectoryRead ReadDirectory(const v1::Directory& directory, bool from_disk, const DirectoryReader& reader,
                            DirectoryNumbers& numbers);

// `router`, `address`: of the one that the entry names; `own`: this router's name.
LeaderNamed ReadLeader(const v1::LeaderEntry& entry, RouterId router, const std::string& address,
                       const std::string& own);

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_DIRECTORY_CODEC_H_
