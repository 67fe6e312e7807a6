#include "tests/tidy/map.h"

#include <algorithm>

namespace ringway::tidy {
namespace {

// Tests and benchmarks may include everything; the command line stands above all modules.
const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = {
      {"core", true, {}},
      {"controller/planner", true, {"core"}},
      {"controller/machine", true, {"core", "controller/planner"}},
      {"controller", false, {"core", "proto", "runtime", "topology"}},
      {"router/dispatch", true, {"core"}},
      {"router/machine", true, {"core", "router/dispatch"}},
      {"router", false, {"core", "proto", "runtime"}},
      {"worker/slot", true, {"core", "worker/service_history"}},
      {"worker/service_history", true, {"core"}},
      {"worker", false, {"core", "proto", "runtime", "engine"}},
      {"sim",
       true,
       {"core", "controller/planner", "controller/machine", "router/dispatch", "router/machine",
        "worker/slot", "worker/service_history"}},
      {"topology", false, {"core"}},
      {"proto", false, {"core"}},
      {"runtime", false, {"core"}},
      {"engine", false, {}},
      {"cli",
       false,
       {"core", "proto", "runtime", "topology", "sim", "engine", "controller/planner", "controller/machine"}},
      {"tests", false, {""}},
      {"bench", false, {""}},
  };
  return layers;
}

}  // namespace

bool Covers(std::string_view prefix, std::string_view path) {
  if (prefix.empty()) return true;
  if (!path.starts_with(prefix)) return false;
  if (path.size() == prefix.size()) return true;
  const char next = path[prefix.size()];
  return next == '/' || next == '.' || next == '_';
}

const Layer* LayerOf(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& layer : Layers()) {
    if (Covers(layer.prefix, path) && (best == nullptr || layer.prefix.size() > best->prefix.size()))
      best = &layer;
  }
  return best;
}

const std::vector<Library>& Libraries() {
  static const std::vector<Library> libraries = {
      {"yaml-cpp/", "", {"topology"}, "topology/ is the only reader of YAML"},
      {"",
       ".pb.h",
       {"proto", "runtime", "controller", "router", "worker", "cli"},
       "decisions see values, not messages"},
      {"grpcpp/",
       "",
       {"proto", "runtime", "controller", "router", "worker", "cli"},
       "decisions see no network"},
      {"boost/", "", {"runtime", "controller", "router", "worker", "cli"}, "decisions see no network"},
      {"prometheus/",
       "",
       {"runtime", "controller", "router", "worker"},
       "decisions count nothing themselves"},
      {"lemon/", "", {"controller/planner"}, "the refine pass is its only user"},
      {"CLI/", "", {"cli", "controller", "router", "worker"}, "only programs parse arguments"},
      {"gtest/", "", {}, "tests only"},
      {"gmock/", "", {}, "tests only"},
      {"benchmark/", "", {}, "benchmarks only"},
  };
  return libraries;
}

}  // namespace ringway::tidy
