#include "cli/world/record.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "topology/topology.h"

namespace ringway::cli {
namespace {

constexpr char kKind[] = "ringway-world";

absl::Status WriteWhole(const std::string& path, const std::string& text) {
  const std::string aside = path + ".new";
  std::ofstream file(aside, std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(aside.c_str(), path.c_str()) != 0)
    return absl::UnavailableError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
  return absl::OkStatus();
}

std::string TextAt(const Json& object, std::string_view key) {
  const Json* const value = object.Find(key);
  return value != nullptr && value->string() != nullptr ? *value->string() : "";
}

std::int64_t IntegerAt(const Json& object, std::string_view key) {
  const Json* const value = object.Find(key);
  return value != nullptr && value->integer() != nullptr ? *value->integer() : 0;
}

}  // namespace

std::size_t WorldRecord::RunningCount() const {
  return static_cast<std::size_t>(
      std::count_if(processes.begin(), processes.end(),
                    [](const WorldProcess& process) { return runtime::IsRunning(process.identity); }));
}

std::string RecordFile(const std::string& folder) { return folder + "/world.json"; }
std::string EnvironmentFile(const std::string& folder) { return folder + "/env"; }
std::string PhotoFile(const std::string& folder) { return folder + "/photo.png"; }
std::string RunFolder(const std::string& folder) { return folder + "/run"; }

std::string RecordText(const WorldRecord& record) {
  JsonWriter json;
  json.BeginObject().Key("kind").Text(kKind).Key("version").Integer(1);
  json.Key("topology").Text(record.topology).Key("backend").Text(record.backend);
  json.Key("controller").Text(record.controller).Key("dashboard").Text(record.dashboard);
  json.Key("router").Text(record.router).Key("videos").Text(record.videos);
  json.Key("processes").BeginArray();
  for (const WorldProcess& process : record.processes) {
    json.BeginObject().Key("name").Text(process.name).Key("log").Text(process.log);
    json.Key("pid").Integer(process.identity.pid);
    json.Key("started_ticks").Integer(static_cast<std::int64_t>(process.identity.started_ticks)).End();
  }
  json.End().End();
  return json.text() + "\n";
}

absl::StatusOr<WorldRecord> ParseRecord(std::string_view text, std::string_view file) {
  const absl::StatusOr<Json> json = Json::Parse(text, file);
  if (!json.ok()) return json.status();
  const Json* const processes = json->Find("processes");
  if (TextAt(*json, "kind") != kKind || IntegerAt(*json, "version") != 1 || processes == nullptr ||
      processes->array() == nullptr || processes->array()->size() > kWorldProcessesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(file),
                     ": is no record of a world of this release; end its processes by hand, then remove it"));
  }
  WorldRecord record{.topology = TextAt(*json, "topology"),
                     .backend = TextAt(*json, "backend"),
                     .controller = TextAt(*json, "controller"),
                     .dashboard = TextAt(*json, "dashboard"),
                     .router = TextAt(*json, "router"),
                     .videos = TextAt(*json, "videos")};
  for (const Json& process : *processes->array()) {
    record.processes.push_back({TextAt(process, "name"),
                                TextAt(process, "log"),
                                {static_cast<pid_t>(IntegerAt(process, "pid")),
                                 static_cast<std::uint64_t>(IntegerAt(process, "started_ticks"))}});
  }
  return record;
}

absl::StatusOr<WorldRecord> ReadRecord(const std::string& folder) {
  const std::string file = RecordFile(folder);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return absl::NotFoundError(
        absl::StrCat("no world is up in ", folder, " (there is no ", file, "); --folder names another one"));
  }
  const absl::StatusOr<std::string> text = ReadTextFile(file);
  if (!text.ok()) return text.status();
  return ParseRecord(*text, file);
}

absl::Status WriteRecord(const std::string& folder, const WorldRecord& record) {
  return WriteWhole(RecordFile(folder), RecordText(record));
}

absl::Status WriteEnvironment(const std::string& folder, const WorldRecord& record) {
  return WriteWhole(
      EnvironmentFile(folder),
      absl::StrCat("# Where the world of this folder answers; `ringway down` removes it.\n",
                   "export RINGWAY_CONTROLLER=", record.controller, "\n",
                   "export RINGWAY_ROUTER=", record.router, "\n", "export RINGWAY_VIDEOS=http://",
                   record.videos, "\n", "export RINGWAY_DASHBOARD=http://", record.dashboard, "/\n"));
}

}  // namespace ringway::cli
