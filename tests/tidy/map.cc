#include "tests/tidy/map.h"

#include <algorithm>

namespace ringway::tidy {
namespace {

// Of the engine, which has nothing of the fleet. Its root is what others include: engines, requests, models
// by name.
std::vector<Layer> EngineLayers() {
  return {
      {"engine/tensor", false, {"core/absl_view", "core/check"}},
      {"engine/threads", false, {"core/check"}},
      {"engine/graph", false, {"core/absl_view", "core/check", "engine/tensor"}},
      {"engine/passes", false, {"core/check", "engine/tensor", "engine/graph"}},
      {"engine/checkpoint", false, {"core/absl_view", "core/check", "core/json_reader", "engine/tensor"}},
      {"engine/plan",
       false,
       {"core/absl_view", "core/check", "engine/tensor", "engine/graph", "engine/passes",
        "engine/checkpoint"}},
      {"engine/cpu/isa", false, {}},
      {"engine/cpu",
       false,
       {"core/absl_view", "core/check", "engine/tensor", "engine/threads", "engine/graph", "engine/plan",
        "engine/cpu/isa"}},
      {"engine/host_backend", false, {"engine/plan", "engine/cpu"}},  // alone names the CPU
      {"engine/networks",
       false,
       {"core/absl_view", "core/check", "engine/tensor", "engine/graph", "engine/checkpoint"}},
      {"engine/adapters", false, {"core/absl_view", "core/check", "engine/tensor", "engine/checkpoint"}},
      {"engine/sampler", false, {"core/absl_view", "core/check", "core/rng", "engine/checkpoint"}},
      {"engine/text", false, {"core/absl_view", "core/check", "core/json_reader", "engine/checkpoint"}},
      {"engine/media", false, {"core/absl_view", "core/check", "engine/threads"}},
      {"engine/motion",
       false,
       {"core/absl_view", "core/check", "core/rng", "engine/tensor", "engine/checkpoint", "engine/media",
        "engine/cpu/isa"}},
      {"engine/preview", false, {"core/absl_view", "engine/checkpoint", "engine/media"}},
      {"engine/pipelines",
       false,
       {"core/absl_view", "core/check", "core/json_reader", "core/rng", "engine", "engine/tensor",
        "engine/threads", "engine/graph", "engine/plan", "engine/checkpoint", "engine/networks",
        "engine/adapters", "engine/sampler", "engine/text", "engine/media", "engine/motion"}},
      {"engine",
       false,
       {"core/absl_view", "core/check", "core/json_reader", "core/rng", "engine/host_backend",
        "engine/threads", "engine/plan", "engine/checkpoint", "engine/text", "engine/media", "engine/motion",
        "engine/pipelines"}},
  };
}

// Its root is the machine and what happens to it; what people see of it is beside it.
std::vector<Layer> ControllerLayers() {
  return {
      {"controller/planner", true, {"core"}},
      {"controller/scale", true, {"core", "controller/planner"}},
      {"controller/canary", true, {"core"}},
      {"controller/fleet", true, {"core"}},
      {"controller/tiers",
       true,
       {"core", "controller/planner", "controller/scale", "controller/canary", "controller/fleet",
        "controller/events"}},
      {"controller/orders", true, {"core", "controller/tiers", "controller/events"}},
      {"controller",
       true,
       {"core", "controller/planner", "controller/scale", "controller/canary", "controller/fleet",
        "controller/tiers", "controller/orders"}},
      {"controller/screen", true, {"core", "controller", "controller/planner"}},
      {"web", false, {}},
      {"controller/wire", false, {"core", "proto", "controller"}},
      {"controller/journal", false, {"core", "proto", "runtime", "controller", "controller/wire"}},
      {"controller/daemon",
       false,
       {"core", "proto", "runtime", "topology", "web", "controller", "controller/screen", "controller/wire",
        "controller/journal"}},
      {"controller/main", false, {"core", "runtime", "topology", "controller", "controller/daemon"}},
  };
}

// Its root is the node, and what can happen to its parts and what they want done.
std::vector<Layer> RouterLayers() {
  return {
      {"router/dispatch", true, {"core"}},
      {"router/once", true, {"core", "router/dispatch"}},
      {"router/routes", true, {"core", "router/dispatch", "router/router_action", "router/router_event"}},
      {"router/session", true, {"core", "router/dispatch", "router/router_event"}},
      {"router/jobs",
       true,
       {"core", "router/dispatch", "router/once", "router/routes", "router/router_action",
        "router/router_event"}},
      {"router",
       true,
       {"core", "router/dispatch", "router/once", "router/routes", "router/session", "router/jobs"}},
      {"router/http", false, {"core", "runtime", "router", "router/dispatch"}},
      {"router/wire", false, {"core", "proto", "router"}},
      {"router/journal", false, {"core", "runtime", "journal", "router", "router/dispatch"}},
      {"router/daemon",
       false,
       {"core", "proto", "runtime", "router", "router/dispatch", "router/http", "router/journal", "gateway",
        "gateway/objects", "router/wire"}},
      {"router/main", false, {"core", "runtime", "topology", "router", "router/daemon"}},
  };
}

// The APIs for applications: a client of the ingress, so it knows nothing of the machine.
std::vector<Layer> GatewayLayers() {
  return {
      {"gateway/jobs", true, {"core"}},
      // A store that routers share: S3 over HTTP. It knows no videos.
      {"gateway/objects", false, {"core", "runtime"}},
      {"gateway", false, {"core", "proto", "runtime", "router/once", "gateway/jobs", "gateway/objects"}},
  };
}

std::vector<Layer> WorkerLayers() {
  return {
      {"worker/slot", true, {"core", "worker/lease_gate", "worker/service_history"}},
      {"worker/worker_node", true, {"core", "worker/slot"}},
      {"worker/lease_gate", true, {"core"}},
      {"worker/service_history", true, {"core"}},
      {"worker/journal", false, {"core", "runtime", "journal", "worker/slot", "worker/worker_node"}},
      {"worker",
       false,
       {"core", "proto", "runtime", "engine", "engine/media", "worker/slot", "worker/worker_node",
        "worker/service_history", "worker/journal"}},
  };
}

std::vector<Layer> SimLayers() {
  return {
      {"sim/kernel", true, {"core"}},
      {"sim/demand", true, {"core"}},
      {"sim/fleet",
       true,
       {"core", "controller", "router", "worker/slot", "worker/worker_node", "worker/lease_gate",
        "worker/service_history", "sim/kernel", "sim/scenario", "sim/stage", "sim/observers/observer"}},
      {"sim/observers",
       true,
       {"core", "controller", "router", "worker/slot", "worker/worker_node", "worker/lease_gate",
        "sim/kernel", "sim/scenario", "sim/slice", "sim/stage", "sim/fleet"}},
      {"sim",
       true,
       {"core", "controller", "router", "worker/slot", "worker/worker_node", "worker/lease_gate",
        "worker/service_history", "sim/kernel", "sim/demand", "sim/fleet", "sim/observers"}},
      // Scenarios are files: read before anything runs in virtual time.
      {"sim/files", false, {"core", "sim", "topology"}},
      // Journals are files, too.
      {"sim/journals",
       false,
       {"core", "runtime", "topology", "journal", "router", "router/journal", "worker/worker_node",
        "worker/journal", "controller", "controller/journal", "sim", "sim/fleet"}},
  };
}

// Tests and benchmarks may include everything; the command line stands above all modules.
std::vector<Layer> AllLayers() {
  std::vector<Layer> layers = {
      {"core", true, {}},
      {"topology", false, {"core"}},
      {"proto", false, {"core"}},
      {"runtime", false, {"core"}},
      {"journal", false, {"core", "runtime"}},
      {"cli",
       false,
       {"core",
        "proto",
        "runtime",
        "topology",
        "sim",
        "sim/files",
        "sim/journals",
        "sim/report",
        "sim/study",
        "engine",
        "engine/checkpoint",
        "engine/media",
        "engine/sampler",
        "controller",
        "controller/wire",
        "controller/journal",
        "journal",
        "router/journal",
        "worker/worker_node",
        "worker/journal"}},
      {"tests", false, {""}},
      {"bench", false, {""}},
  };
  for (const auto& module :
       {ControllerLayers(), RouterLayers(), GatewayLayers(), WorkerLayers(), SimLayers(), EngineLayers()}) {
    layers.insert(layers.end(), module.begin(), module.end());
  }
  return layers;
}

const std::vector<Layer>& Layers() {
  static const std::vector<Layer> layers = AllLayers();
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
  static const std::vector<std::string_view> kShells = {"proto",
                                                        "runtime",
                                                        "controller/wire",
                                                        "controller/journal",
                                                        "controller/daemon",
                                                        "controller/main",
                                                        "router/http",
                                                        "router/daemon",
                                                        "router/main",
                                                        "gateway",
                                                        "gateway/objects",
                                                        "router/wire",
                                                        "worker",
                                                        "cli"};
  static const std::vector<Library> libraries = {
      {"yaml-cpp/", "", {"topology"}, "topology/ is the only reader of YAML"},
      {"", ".pb.h", kShells, "decisions see values, not messages"},
      {"grpcpp/", "", kShells, "decisions see no network"},
      {"boost/", "", kShells, "decisions see no network"},
      {"prometheus/", "", kShells, "decisions count nothing themselves"},
      {"lemon/", "", {}, "benchmarks only, as a yardstick"},
      {"CLI/", "", kShells, "only programs parse arguments"},
      {"gtest/", "", {}, "tests only"},
      {"gmock/", "", {}, "tests only"},
      {"benchmark/", "", {}, "benchmarks only"},
  };
  return libraries;
}

}  // namespace ringway::tidy
