// Fleets by name, from a file that people edit: where each is reached, and where its tokens lie.
//
//   apiVersion: ringway/v1
//   kind: Contexts
//   metadata: {name: contexts}
//   spec:
//     current: production              may be left out
//     contexts:
//       - name: production
//         controller: 10.0.0.5:7400    each of the four may be left out
//         router: 10.0.0.6:7410
//         tokenFile: ~/.config/ringway/production.token
//         fleetTokenFile: /etc/ringway/fleet.token
//
// The file never holds a token, only the paths of files that do: absolute ones, or such that begin with ~/,
// as the file is read from any folder. It is read as strictly as a topology, every mistake with its line.
// Writing replaces it as a whole (runtime/whole_file.h); comments are not kept. Of two writers at once the
// later wins.
//
// Bound: kContextsMax. Threads: pure but for Read and Write.
#ifndef RINGWAY_CLI_CONTEXT_CONTEXT_FILE_H_
#define RINGWAY_CLI_CONTEXT_CONTEXT_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ringway::context {

inline constexpr std::size_t kContextsMax = 256;

// Empty: the context does not say it.
struct Context {
  std::string name;
  std::string controller = {};  // HOST:PORT
  std::string router = {};
  std::string token_file = {};
  std::string fleet_token_file = {};
  friend bool operator==(const Context&, const Context&) = default;
};

struct Contexts {
  std::string current = {};       // empty: none
  std::vector<Context> all = {};  // in the order of the file
  // Null: there is none of that name.
  const Context* Find(std::string_view name) const;
  Context* Find(std::string_view name);
  friend bool operator==(const Contexts&, const Contexts&) = default;
};

// Errors: InvalidArgument with a line for each mistake.
absl::StatusOr<Contexts> ParseContexts(std::string_view text, std::string_view file_name);
// The file's text; ParseContexts reads it back.
std::string ContextsText(const Contexts& contexts);

// What is wrong with a value that is to be written; empty: nothing. An empty value is none, and right.
std::string WrongAddress(const std::string& address);
std::string WrongTokenFile(const std::string& path);

// $RINGWAY_CONTEXTS, else ringway/contexts.yaml in $XDG_CONFIG_HOME, else in ~/.config; empty: no home is
// known.
std::string ContextsPath();
// A file that does not exist holds none. Errors: those of ReadTextFile and ParseContexts.
absl::StatusOr<Contexts> ReadContexts(const std::string& path);
// Makes the folder too; the target of a symbolic link is what is replaced. Errors: InvalidArgument for what
// could not be read back, FailedPrecondition without a path, Internal from the disk.
absl::Status WriteContexts(const std::string& path, const Contexts& contexts);

// "no context "x" in FILE", with the likely name or those that there are.
absl::Status UnknownContext(std::string_view name, const Contexts& contexts, const std::string& path);

// The path with ~/ as the home folder.
std::string WithHome(const std::string& path);

}  // namespace ringway::context

#endif  // RINGWAY_CLI_CONTEXT_CONTEXT_FILE_H_
