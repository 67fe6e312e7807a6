// What operators write about their fleet: one World and its Tiers, from a file of Kubernetes-shaped YAML.
//
// A file holds one document of kind World and one or more of kind Tier, in any order, `---` between them.
// Reading is all or nothing: a file with one mistake gives no topology, and the status lists every mistake
// with line, column, field, what was found and what is allowed. Remarks are things that are allowed but worth
// a look (estimated pairs, RTTs below the speed of light, detours beyond reason).
//
// ParseTopology is pure; LoadTopology adds the reading of the file. Limits: yaml_tree.h, read_world.h,
// read_tier.h. Threads: re-entrant; the result is immutable and shared freely.
#ifndef RINGWAY_TOPOLOGY_TOPOLOGY_H_
#define RINGWAY_TOPOLOGY_TOPOLOGY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/fleet.h"
#include "core/ids.h"
#include "topology/problems.h"

namespace ringway {

struct Topology {
  std::shared_ptr<const Fleet> fleet;  // tiers in the order of the file
  std::vector<std::string> remarks;

  // An empty name finds the only tier, if there is one only.
  std::optional<TierId> FindTier(std::string_view name) const;
};

// `file_name` only serves the messages. Errors: kInvalidArgument.
absl::StatusOr<Topology> ParseTopology(std::string_view text, std::string_view file_name);

// The same with the mistakes one by one, for programs; no topology if there is any.
std::optional<Topology> ParseTopology(std::string_view text, Problems& problems);

// Errors: kNotFound or kPermissionDenied when the file cannot be read, else as ParseTopology.
absl::StatusOr<Topology> LoadTopology(const std::string& path);

// The whole text of a file, at most kYamlBytesMax.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace ringway

#endif  // RINGWAY_TOPOLOGY_TOPOLOGY_H_
