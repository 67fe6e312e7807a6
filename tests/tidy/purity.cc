#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/map.h"
#include "tests/tidy/rules.h"

namespace ringway::tidy {
namespace {

struct Banned {
  std::string_view token;
  std::string_view instead;
};

constexpr std::string_view kTime = "time is an argument: take `Time now`";
constexpr std::string_view kRandom = "draw from a core/rng.h Rng that the caller seeded";
constexpr std::string_view kInputOutput = "give back an action and let the shell do it";
constexpr std::string_view kThreads = "one thread owns a machine; share immutable snapshots";
constexpr std::string_view kErrors = "return absl::Status, or RINGWAY_CHECK a broken invariant";
constexpr std::string_view kOrder = "its order differs from run to run; use ids, or an order of your own";

constexpr Banned kBannedTokens[] = {
    {"absl::Now", kTime},
    {"GetCurrentTimeNanos", kTime},
    {"std::chrono", kTime},
    {"clock_gettime", kTime},
    {"gettimeofday", kTime},
    {"time(nullptr)", kTime},
    {"time(NULL)", kTime},
    {"SleepFor", kTime},
    {"sleep_for", kTime},
    {"usleep", kTime},
    {"absl::BitGen", kRandom},
    {"absl::Uniform", kRandom},
    {"random_device", kRandom},
    {"mt19937", kRandom},
    {"mt19937_64", kRandom},
    {"uniform_int_distribution", kRandom},
    {"uniform_real_distribution", kRandom},
    {"normal_distribution", kRandom},
    {"exponential_distribution", kRandom},
    {"std::rand", kRandom},
    {"rand()", kRandom},
    {"drand48", kRandom},
    {"std::shuffle", kRandom},
    {"std::cout", kInputOutput},
    {"std::cerr", kInputOutput},
    {"std::clog", kInputOutput},
    {"printf", kInputOutput},
    {"fprintf", kInputOutput},
    {"puts", kInputOutput},
    {"fopen", kInputOutput},
    {"ifstream", kInputOutput},
    {"ofstream", kInputOutput},
    {"fstream", kInputOutput},
    {"getenv", kInputOutput},
    {"socket", kInputOutput},
    {"LOG", kInputOutput},
    {"std::mutex", kThreads},
    {"std::shared_mutex", kThreads},
    {"std::lock_guard", kThreads},
    {"std::unique_lock", kThreads},
    {"std::scoped_lock", kThreads},
    {"absl::Mutex", kThreads},
    {"absl::MutexLock", kThreads},
    {"std::atomic", kThreads},
    {"std::thread", kThreads},
    {"std::async", kThreads},
    {"thread_local", kThreads},
    {"throw", kErrors},
    {"try", kErrors},
    {"catch", kErrors},
    {"absl::Hash", "it is salted anew in each process; compare values"},
    {"reinterpret_cast<std::uintptr_t>", kOrder},
};

constexpr Banned kBannedHeaders[] = {
    {"absl/time/clock.h", kTime},
    {"absl/random/", kRandom},
    {"absl/synchronization/", kThreads},
    {"chrono", kTime},
    {"ctime", kTime},
    {"random", kRandom},
    {"iostream", kInputOutput},
    {"fstream", kInputOutput},
    {"cstdio", kInputOutput},
    {"filesystem", kInputOutput},
    {"mutex", kThreads},
    {"shared_mutex", kThreads},
    {"atomic", kThreads},
    {"thread", kThreads},
    {"future", kThreads},
    {"condition_variable", kThreads},
    {"unistd.h", kInputOutput},
    {"sys/", kInputOutput},
    {"netinet/", kInputOutput},
};

struct Exemption {
  std::string_view path;
  std::string_view token;
  std::string_view why;
};
constexpr Exemption kExemptions[] = {
    {"core/check.h", "fprintf", "a broken invariant says where before it ends the process"},
    {"core/check.h", "cstdio", "the same"},
};

bool IsExempt(std::string_view path, std::string_view token) {
  return std::any_of(std::begin(kExemptions), std::end(kExemptions),
                     [&](const Exemption& e) { return e.path == path && e.token == token; });
}

void CheckTokens(const SourceFile& file, Findings& findings) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    for (const Banned& banned : kBannedTokens) {
      if (!HasToken(file.code[i], banned.token) || IsExempt(file.path, banned.token)) continue;
      findings.push_back(
          {file.path, i + 1,
           "decides, so it may not use " + std::string(banned.token) + ": " + std::string(banned.instead)});
    }
  }
}

void CheckHeaders(const SourceFile& file, Findings& findings) {
  for (const Include& include : IncludesOf(file)) {
    for (const Banned& banned : kBannedHeaders) {
      const bool folder = banned.token.ends_with('/');
      if (folder ? !include.target.starts_with(banned.token) : include.target != banned.token) continue;
      if (IsExempt(file.path, banned.token)) continue;
      findings.push_back(
          {file.path, include.line,
           "decides, so it may not include " + include.target + ": " + std::string(banned.instead)});
    }
  }
}

std::string_view WordAt(std::string_view line, std::size_t at) {
  const std::size_t start = line.find_first_not_of(" &*", at);
  if (start == std::string_view::npos) return {};
  const std::size_t end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", start);
  return line.substr(start, end == std::string_view::npos ? end : end - start);
}

// Where the template argument list that opens at `open` ends, just after its '>'; npos if not on this line.
std::size_t EndOfAngles(std::string_view line, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < line.size(); ++i) {
    if (line[i] == '<') ++depth;
    if (line[i] == '>' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// Names of variables whose type is a hash container, as far as one line tells.
void CollectHashed(const SourceFile& file, std::vector<std::string>& names) {
  for (const std::string& line : file.code) {
    for (const std::string_view type :
         {"flat_hash_map<", "flat_hash_set<", "node_hash_map<", "unordered_map<", "unordered_set<"}) {
      const std::size_t at = line.find(type);
      if (at == std::string::npos) continue;
      const std::size_t end = EndOfAngles(line, at + type.size() - 1);
      if (end == std::string_view::npos) continue;
      if (const std::string_view name = WordAt(line, end); !name.empty()) names.emplace_back(name);
    }
  }
}

void CheckHashOrder(const SourceFile& file, const std::vector<std::string>& hashed, Findings& findings) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string& line = file.code[i];
    const std::size_t loop = line.find("for (");
    const std::size_t colon = loop == std::string::npos ? loop : line.find(" : ", loop);
    for (const std::string& name : hashed) {
      const bool in_loop = colon != std::string::npos &&
                           HasToken(std::string_view(line).substr(colon), name) &&
                           line.find(name + "[", colon) == std::string::npos;
      if (in_loop || HasToken(line, name + ".begin()")) {
        findings.push_back(
            {file.path, i + 1, "iterates over the hash container " + name + ": " + std::string(kOrder)});
      }
    }
  }
}

void CheckPointerKeys(const SourceFile& file, Findings& findings) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    const std::string_view line = file.code[i];
    for (const std::string_view type : {"std::map<", "std::set<", "btree_map<", "btree_set<"}) {
      const std::size_t at = line.find(type);
      if (at == std::string_view::npos) continue;
      const std::string_view key =
          line.substr(at + type.size(), line.find_first_of(",>", at) - at - type.size());
      if (!key.empty() && key.back() == '*') {
        findings.push_back({file.path, i + 1, "orders by a pointer: " + std::string(kOrder)});
      }
    }
  }
}

const SourceFile* HeaderOf(const SourceTree& tree, const SourceFile& file) {
  if (!file.Is(".cc")) return nullptr;
  const std::string header = file.path.substr(0, file.path.size() - 3) + ".h";
  const auto found = std::find_if(tree.files.begin(), tree.files.end(),
                                  [&](const SourceFile& f) { return f.path == header; });
  return found == tree.files.end() ? nullptr : &*found;
}

}  // namespace

bool IsPure(const SourceFile& file) {
  const Layer* layer = LayerOf(file.path);
  return file.IsCpp() && layer != nullptr && layer->pure;
}

void CheckPurity(const SourceTree& tree, Findings& findings) {
  for (const SourceFile& file : tree.files) {
    if (!IsPure(file)) continue;
    CheckTokens(file, findings);
    CheckHeaders(file, findings);
    CheckPointerKeys(file, findings);
    std::vector<std::string> hashed;
    CollectHashed(file, hashed);
    if (const SourceFile* header = HeaderOf(tree, file); header != nullptr) CollectHashed(*header, hashed);
    CheckHashOrder(file, hashed, findings);
  }
}

}  // namespace ringway::tidy
