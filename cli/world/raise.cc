#include "cli/world/raise.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/admin_client.h"
#include "cli/animation.h"
#include "cli/result_file.h"
#include "engine/bundled_model.h"
#include "runtime/clock.h"
#include "runtime/port_file.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

namespace fs = std::filesystem;

constexpr Duration kStartLimit = Seconds(60);
constexpr Duration kWholeLimit = Seconds(60);
constexpr Duration kStopLimit = Seconds(6);
constexpr Duration kLookEvery = Milliseconds(20);

struct Ports {
  std::string controller = "127.0.0.1:7400";
  std::string dashboard = "127.0.0.1:7401";
  std::string router = "127.0.0.1:7410";
  std::string videos = "127.0.0.1:7412";
};
constexpr char kFree[] = "127.0.0.1:0";

bool PortIsFree(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &at.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;  // the daemon will say what is wrong
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as servers do: what only lingers is free
  const bool free = bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  close(fd);
  return free;
}

absl::StatusOr<Ports> ChoosePorts(bool free_ports) {
  Ports ports;
  if (free_ports) return Ports{kFree, kFree, kFree, kFree};
  for (const std::string* address : {&ports.controller, &ports.dashboard, &ports.router, &ports.videos}) {
    if (PortIsFree(*address)) continue;
    return absl::UnavailableError(absl::StrCat(
        *address,
        " is taken by another program; `ringway up --free-ports` takes ports that are free, or is another "
        "world up? `ringway down` in its folder ends it"));
  }
  return ports;
}

absl::Status CheckSize(const Fleet& fleet, const std::string& file) {
  int workers = 0;
  for (const Tier& tier : fleet.tiers)
    for (const TierRegion& region : tier.regions) workers += region.workers;
  if (fleet.world.regions.size() <= kWorldRegionsMax && workers <= kWorldWorkersMax && workers > 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(file, ": has ", fleet.world.regions.size(), " regions and ",
                                                 workers, " workers; allowed on one machine: up to ",
                                                 kWorldRegionsMax, " regions and 1 to ", kWorldWorkersMax,
                                                 " workers"));
}

// The processes of a world that is coming up.
class Raising {
 public:
  Raising(const WorldSettings& settings, const Fleet& fleet, demo::Interrupt& interrupt)
      : settings_(settings),
        fleet_(fleet),
        interrupt_(interrupt),
        run_(fs::absolute(RunFolder(settings.folder))) {
    record_.topology = settings.topology;
    record_.backend = settings.backend;
  }
  absl::Status All(Session& session, const Ports& ports);
  WorldRecord& record() { return record_; }

 private:
  absl::Status Start(const std::string& program, const std::string& name, std::vector<std::string> flags);
  // Where the n-th process listens, once it serves.
  absl::StatusOr<runtime::Ports> Await(std::size_t n);
  absl::Status Controller(const Ports& ports);
  absl::Status Workers();
  absl::Status Routers(const Ports& ports);
  absl::Status AwaitWhole(Session& session);

  const WorldSettings& settings_;
  const Fleet& fleet_;
  demo::Interrupt& interrupt_;
  const fs::path run_;
  WorldRecord record_;
  std::vector<std::vector<std::string>> workers_;  // addresses by region
};

absl::Status Raising::Start(const std::string& program, const std::string& name,
                            std::vector<std::string> flags) {
  if (interrupt_.Came()) return absl::CancelledError("interrupted");
  const std::string path = fs::absolute(absl::StrCat(settings_.programs, "/", program));
  if (!fs::exists(path)) {
    return absl::NotFoundError(absl::StrCat(path, " is not there; build it first: ./dev build ", program));
  }
  const std::string log = run_ / (name + ".log");
  std::vector<std::string> arguments = {path, "--port-file", run_ / (name + ".ports")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const absl::StatusOr<runtime::ProcessIdentity> started = runtime::StartDetached(arguments, log);
  if (!started.ok()) return started.status();
  record_.processes.push_back({name, log, *started});
  return WriteRecord(settings_.folder, record_);
}

absl::StatusOr<runtime::Ports> Raising::Await(std::size_t n) {
  const WorldProcess& process = record_.processes[n];
  const Time limit = runtime::MonotonicNow() + kStartLimit;
  while (runtime::MonotonicNow() < limit) {
    if (auto ports = runtime::ReadPortFile(run_ / (process.name + ".ports")); ports.ok()) return ports;
    if (interrupt_.Came()) return absl::CancelledError("interrupted");
    if (!runtime::IsRunning(process.identity))
      return absl::UnavailableError(
          absl::StrCat(process.name, " ended while starting; its log: ", process.log));
    absl::SleepFor(kLookEvery);
  }
  return absl::UnavailableError(absl::StrCat(process.name, " did not serve within ",
                                             absl::FormatDuration(kStartLimit), "; its log: ", process.log));
}

absl::Status Raising::Controller(const Ports& ports) {
  const fs::path world = run_ / "world.yaml";
  std::error_code error;
  fs::copy_file(settings_.topology, world, fs::copy_options::overwrite_existing, error);
  if (error) return absl::UnavailableError(absl::StrCat(world.string(), ": ", error.message()));
  const fs::path state = run_ / "controller-state";
  fs::create_directories(state, error);
  absl::Status started = Start("ringway-controller", "controller",
                               {"--topology", world, "--state-dir", state, "--dashboard-writes", "--listen",
                                ports.controller, "--http", ports.dashboard});
  if (!started.ok()) return started;
  const absl::StatusOr<runtime::Ports> serves = Await(0);
  if (!serves.ok()) return serves.status();
  record_.controller = serves->at("grpc");
  record_.dashboard = serves->at("http");
  return absl::OkStatus();
}

absl::Status Raising::Workers() {
  workers_.resize(fleet_.world.regions.size());
  const std::size_t first = record_.processes.size();
  std::vector<std::size_t> places;
  for (const Tier& tier : fleet_.tiers) {
    for (std::size_t i = 0; i < fleet_.world.regions.size(); ++i) {
      const std::string& region = fleet_.world.regions[RegionId(i)].name;
      for (int n = 0; n < tier.regions[RegionId(i)].workers; ++n) {
        const std::string name = absl::StrCat("worker-", region, "-", tier.name, "-", n);
        std::vector<std::string> flags = {"--name",          absl::StrCat(region, "/", tier.name, n),
                                          "--tier",          tier.name,
                                          "--region",        region,
                                          "--listen",        kFree,
                                          "--http",          kFree,
                                          "--backend",       settings_.backend,
                                          "--drain-timeout", "1"};
        if (settings_.backend == "engine" && !settings_.model.empty())
          flags.insert(flags.end(), {"--engine-model", settings_.model});
        if (settings_.backend == "synthetic") {
          flags.insert(flags.end(), {"--seed", absl::StrCat(places.size() + 1), "--service-mean",
                                     absl::StrCat(ToDoubleSeconds(tier.service_mean))});
        }
        if (absl::Status started = Start("ringway-worker", name, std::move(flags)); !started.ok())
          return started;
        places.push_back(i);
      }
    }
  }
  for (std::size_t n = 0; n < places.size(); ++n) {
    const absl::StatusOr<runtime::Ports> serves = Await(first + n);
    if (!serves.ok()) return serves.status();
    workers_[places[n]].push_back(serves->at("grpc"));
  }
  return absl::OkStatus();
}

absl::Status Raising::Routers(const Ports& ports) {
  const std::size_t first = record_.processes.size();
  for (std::size_t i = 0; i < fleet_.world.regions.size(); ++i) {
    const std::string& region = fleet_.world.regions[RegionId(i)].name;
    const std::string name = absl::StrCat("router-", region);
    std::vector<std::string> flags = {"--name",
                                      absl::StrCat(region, "/router"),
                                      "--region",
                                      region,
                                      "--controller",
                                      record_.controller,
                                      "--topology",
                                      run_ / "world.yaml",
                                      "--emulate-rtt",
                                      "--shutdown-grace-period-secs",
                                      "1",
                                      "--listen",
                                      i == 0 ? ports.router : kFree,
                                      "--http",
                                      kFree,
                                      "--videos-listen",
                                      i == 0 ? ports.videos : kFree,
                                      "--videos-store",
                                      run_ / (name + "-videos")};
    for (const std::string& worker : workers_[i]) flags.insert(flags.end(), {"--worker", worker});
    if (absl::Status started = Start("ringway-router", name, std::move(flags)); !started.ok()) return started;
  }
  for (std::size_t i = 0; i < fleet_.world.regions.size(); ++i) {
    const absl::StatusOr<runtime::Ports> serves = Await(first + i);
    if (!serves.ok()) return serves.status();
    if (i > 0) continue;
    record_.router = serves->at("grpc");
    record_.videos = serves->at("videos");
  }
  return absl::OkStatus();
}

// Every router follows a table, every worker has been seen, and where there are workers somebody keeps the
// ledger.
bool Whole(const v1::StatusReply& status, const Fleet& fleet) {
  if (status.routers_size() < static_cast<int>(fleet.world.regions.size())) return false;
  for (const v1::RouterStatus& router : status.routers())
    if (router.table_epoch() == 0) return false;
  for (const v1::TierStatus& tier : status.tiers()) {
    for (const v1::RegionStatus& region : tier.regions())
      if (region.workers_seen() < region.workers() || (region.workers() > 0 && region.leader().empty()))
        return false;
  }
  return status.tiers_size() > 0;
}

absl::Status Raising::AwaitWhole(Session& session) {
  AdminClient admin(record_.controller, "");
  const Time limit = runtime::MonotonicNow() + kWholeLimit;
  while (runtime::MonotonicNow() < limit) {
    if (interrupt_.Came()) return absl::CancelledError("interrupted");
    const absl::StatusOr<v1::StatusReply> status = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
    if (status.ok() && Whole(*status, fleet_)) return absl::OkStatus();
    if (record_.RunningCount() < record_.processes.size()) break;
    absl::SleepFor(kLookEvery * 5);
  }
  for (const WorldProcess& process : record_.processes) {
    if (!runtime::IsRunning(process.identity))
      return absl::UnavailableError(absl::StrCat(process.name, " ended by itself; its log: ", process.log));
  }
  // It is up and may be used; who looks at it sees what is missing.
  session.err << "ringway: the controller has not seen the whole fleet within "
              << absl::FormatDuration(kWholeLimit) << "; `ringway status` shows what is missing\n";
  return absl::OkStatus();
}

absl::Status Raising::All(Session& session, const Ports& ports) {
  if (absl::Status status = Controller(ports); !status.ok()) return status;
  if (absl::Status status = Workers(); !status.ok()) return status;
  if (absl::Status status = Routers(ports); !status.ok()) return status;
  if (absl::Status status = WriteRecord(settings_.folder, record_); !status.ok()) return status;
  if (absl::Status status = WriteEnvironment(settings_.folder, record_); !status.ok()) return status;
  return AwaitWhole(session);
}

// An empty folder of our own. What an ended world has left there is removed; what is not ours is not touched.
absl::Status PrepareFolder(const std::string& folder) {
  const absl::StatusOr<WorldRecord> before = ReadRecord(folder);
  if (before.ok() && before->RunningCount() > 0) {
    return absl::AlreadyExistsError(absl::StrCat(
        "a world is up in ", folder, " already (", before->RunningCount(), " processes, controller ",
        before->controller, "); `ringway down` ends it, --folder takes another place"));
  }
  if (!before.ok() && before.status().code() != absl::StatusCode::kNotFound) return before.status();
  RemoveWorldFiles(folder, false);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(folder, " has other things in it; --folder takes a place that is empty or new"));
  }
  fs::create_directories(RunFolder(folder), error);
  return error ? absl::UnavailableError(absl::StrCat(folder, ": ", error.message())) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<WorldRecord> RaiseWorld(Session& session, const WorldSettings& settings,
                                       demo::Interrupt& interrupt) {
  const absl::StatusOr<Topology> topology = LoadTopology(settings.topology);
  if (!topology.ok()) return topology.status();
  if (absl::Status size = CheckSize(*topology->fleet, settings.topology); !size.ok()) return size;
  // The workers find the bundled models themselves; that there is one is better known now.
  if (settings.backend == "engine" && settings.model.empty())
    if (const absl::Status bundled = engine::FindBundledModel().status(); !bundled.ok()) return bundled;
  if (absl::Status prepared = PrepareFolder(settings.folder); !prepared.ok()) return prepared;
  const absl::StatusOr<Ports> ports = ChoosePorts(settings.free_ports);
  if (!ports.ok()) {
    RemoveWorldFiles(settings.folder, false);
    return ports.status();
  }
  Raising raising(settings, *topology->fleet, interrupt);
  absl::Status raised = raising.All(session, *ports);
  const absl::StatusOr<std::string> photo = PhotoFor("");
  if (raised.ok() && photo.ok()) raised = WriteResult(PhotoFile(settings.folder), *photo, session.out);
  if (raised.ok()) return raising.record();
  EndProcesses(raising.record());
  RemoveWorldFiles(settings.folder, raised.code() != absl::StatusCode::kCancelled);
  return raised;
}

WorldEnd EndProcesses(const WorldRecord& record) {
  WorldEnd end;
  // Routers first, then workers and the controller: nobody complains about peers that leave.
  for (auto it = record.processes.rbegin(); it != record.processes.rend(); ++it)
    if (runtime::SignalDetached(it->identity, SIGTERM)) ++end.processes;
  const Time limit = runtime::MonotonicNow() + kStopLimit;
  while (record.RunningCount() > 0 && runtime::MonotonicNow() < limit) absl::SleepFor(kLookEvery);
  for (const WorldProcess& process : record.processes)
    if (runtime::SignalDetached(process.identity, SIGKILL)) ++end.killed;
  while (record.RunningCount() > 0 && runtime::MonotonicNow() < limit + kStopLimit)
    absl::SleepFor(kLookEvery);
  return end;
}

void RemoveWorldFiles(const std::string& folder, bool logs) {
  std::error_code ignored;
  for (const std::string& file : {RecordFile(folder), EnvironmentFile(folder), PhotoFile(folder)})
    fs::remove(file, ignored);
  if (!logs) fs::remove_all(RunFolder(folder), ignored);
  fs::remove(folder, ignored);  // only when it is empty
}

}  // namespace ringway::cli
