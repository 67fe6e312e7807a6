#include "router/wire/directory_codec.h"

#include <map>
#include <optional>

#include "core/address.h"
#include "router/wire/once_codec.h"

namespace ringway::router {
namespace {

LeadersGiven ReadLeaders(const v1::Directory& directory, const DirectoryReader& reader,
                         DirectoryNumbers& numbers) {
  std::map<std::string, std::string> addresses;
  for (const v1::RouterEntry& router : directory.routers()) {
    if (IsCallable(router.address())) addresses[router.name()] = router.address();
  }
  LeadersGiven given;
  for (const v1::LeaderEntry& entry : directory.leaders()) {
    const auto tier = reader.fleet.FindTier(entry.tier());
    if (!tier) continue;  // a map that has it will come
    const auto address = addresses.find(entry.router());
    // Nobody calls himself: a controller may know that this router leads before it lists it anew.
    if (entry.router() != reader.router && (entry.router().empty() || address == addresses.end())) {
      given.here.push_back({*tier, ReadLeader(entry, RouterId(), "", reader.router)});
    } else {
      const RouterId router = numbers.RouterNamed(entry.router());
      const std::string called = address != addresses.end() ? address->second : "";
      given.here.push_back({*tier, ReadLeader(entry, router, called, reader.router)});
    }
  }
  for (const v1::LeaderEntry& entry : directory.leaders_elsewhere()) {
    const auto tier = reader.fleet.FindTier(entry.tier());
    const auto region = reader.fleet.world.FindRegion(entry.region());
    const auto address = addresses.find(entry.router());
    if (!tier || !region || entry.region() == reader.region || address == addresses.end()) continue;
    given.elsewhere.push_back({*tier, {*region, numbers.RouterNamed(entry.router()), address->second}});
  }
  return given;
}

void ReadWorkers(const v1::Directory& directory, const DirectoryReader& reader, DirectoryNumbers& numbers,
                 DirectoryRead& read) {
  for (const v1::WorkerEntry& entry : directory.workers()) {
    if (entry.region() != reader.region || !IsCallable(entry.address())) continue;
    const WorkerId id = numbers.WorkerAt(entry.address());
    if (!id.valid()) {
      ++read.workers_left_out;
      continue;
    }
    read.heard.given.workers.push_back(
        {id, numbers.TierOf(id, entry.tier()), entry.router() == reader.router, entry.draining()});
  }
}

}  // namespace

DirectoryRead ReadDirectory(const v1::Directory& directory, bool from_disk, const DirectoryReader& reader,
                            DirectoryNumbers& numbers) {
  DirectoryRead read{
      .heard = {.epoch = directory.epoch(), .from_disk = from_disk, .given = {}, .leaders = {}}};
  DirectoryGiven& given = read.heard.given;
  given.partial = directory.partial();
  given.view = ReadView(directory, reader.now);
  for (const v1::RouterEntry& entry : directory.routers()) {
    if (entry.name() == reader.router || !IsCallable(entry.address())) continue;
    const auto region = reader.fleet.world.FindRegion(entry.region());
    if (!region) continue;  // a map that has it will come
    const RouterId id = numbers.RouterNamed(entry.name());
    if (!id.valid()) {
      read.routers_full = true;
      break;
    }
    given.routers.push_back({id, *region, entry.name()});
  }
  ReadWorkers(directory, reader, numbers, read);
  read.heard.leaders = ReadLeaders(directory, reader, numbers);
  return read;
}

LeaderNamed ReadLeader(const v1::LeaderEntry& entry, RouterId router, const std::string& address,
                       const std::string& own) {
  return {.router = router,
          .self = entry.router() == own,
          .incarnation = entry.incarnation(),
          .address = address,
          .fence = {entry.leader_epoch(), entry.appointment()},
          .fresh = entry.fresh()};
}

}  // namespace ringway::router
