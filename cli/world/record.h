// What is known of a world that `ringway up` has brought up: where it answers, and which processes it is made
// of.
//
// One JSON file in the world's folder, rewritten whole after each start of a process, so that `ringway down`
// finds them all even where `up` was killed half way. Everything else that the world writes lies below run/
// in the same folder; env holds the addresses for a shell, photo.png a picture to begin with.
//
// Errors name the file and the remedy. Bounds: kProcessesMax. Threads: one owner.
#ifndef RINGWAY_CLI_WORLD_RECORD_H_
#define RINGWAY_CLI_WORLD_RECORD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/detached_process.h"

namespace ringway::cli {

struct WorldProcess {
  std::string name;
  std::string log;
  runtime::ProcessIdentity identity;
};

struct WorldRecord {
  std::string topology;                                                   // file that it was made from
  std::string backend;                                                    // of the workers
  std::string controller = {}, dashboard = {}, router = {}, videos = {};  // host:port, empty until it serves
  std::vector<WorldProcess> processes = {};                               // in the order of their start
  std::size_t RunningCount() const;
};

inline constexpr char kDefaultWorldFolder[] = "ringway-world";
inline constexpr std::size_t kWorldProcessesMax = 256;

std::string RecordFile(const std::string& folder);
std::string EnvironmentFile(const std::string& folder);
std::string PhotoFile(const std::string& folder);
std::string RunFolder(const std::string& folder);

std::string RecordText(const WorldRecord& record);
absl::StatusOr<WorldRecord> ParseRecord(std::string_view text, std::string_view file);

// Errors: NotFound (no world in the folder), InvalidArgument (a file that is no such record).
absl::StatusOr<WorldRecord> ReadRecord(const std::string& folder);
absl::Status WriteRecord(const std::string& folder, const WorldRecord& record);
// The addresses as lines for a POSIX shell to source.
absl::Status WriteEnvironment(const std::string& folder, const WorldRecord& record);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_WORLD_RECORD_H_
