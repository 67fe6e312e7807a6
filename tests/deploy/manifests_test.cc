// The Kubernetes manifests, the Helm chart and the container file that are shipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/deploy/manifests.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

namespace fs = std::filesystem;

const fs::path kDeployFolder = fs::path(RINGWAY_SOURCE_DIR) / "deploy";
const fs::path kChart = kDeployFolder / "helm" / "ringway";

std::string Values() { return ReadText(kChart / "values.yaml"); }

std::string AppVersion() {
  static const std::regex line("\nappVersion: (\\S+)");
  const std::string chart = ReadText(kChart / "Chart.yaml");
  std::smatch match;
  return std::regex_search(chart, match, line) ? match[1].str() : "";
}

// values.yaml with other values; each key is the whole line as it stands there.
std::string ValuesWith(const std::vector<std::pair<std::string, std::string>>& edits) {
  std::string values = Values();
  for (const auto& [from, to] : edits) {
    const std::size_t at = values.find(from + "\n");
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) values.replace(at, from.size(), to);
  }
  return values;
}

std::string RenderedChart(const std::string& release = "ringway", const std::string& values = Values()) {
  std::string text;
  for (const auto& entry : fs::directory_iterator(kChart / "templates")) {
    const std::string document = Rendered(ReadText(entry.path()), values, release, AppVersion());
    if (document.find("kind:") != std::string::npos) text += document + "\n---\n";
  }
  return text.substr(0, text.size() - 5);
}

TEST(ManifestsTest, ThePlainOnesHaveOnlyKeysThatKubernetesHas) {
  for (const char* name : {"gpu-pod.yaml", "controller.yaml", "kustomization.yaml"}) {
    EXPECT_THAT(ProblemsOf(ReadText(kDeployFolder / "kubernetes" / name)), IsEmpty()) << name;
  }
}

// KEDA's own kind has no list of keys here; what it must agree with stands beside it.
TEST(ManifestsTest, TheScaledObjectNamesWhatTheOthersDeploy) {
  const std::filesystem::path folder = kDeployFolder / "kubernetes";
  const std::string scaled = ReadText(folder / "scaled-object.yaml");
  const std::string service = scaled.substr(scaled.find("\n---\n") + 5);
  EXPECT_THAT(ProblemsOf(service), IsEmpty());
  EXPECT_THAT(KindsOf(service), IsSupersetOf({"Service"}));
  EXPECT_THAT(ReadText(folder / "gpu-pod.yaml"),
              HasSubstr("kind: Deployment\nmetadata:\n  name: ringway-gpu\n"));
  EXPECT_THAT(scaled, HasSubstr("scaleTargetRef:\n    name: ringway-gpu\n"));
  const std::string literals = ReadText(folder / "kustomization.yaml");
  EXPECT_THAT(literals, HasSubstr("RINGWAY_TIER=animate\n"));
  EXPECT_THAT(literals, HasSubstr("RINGWAY_REGION=eu-west-1\n"));
  EXPECT_THAT(scaled, HasSubstr("        tier: animate\n        region: eu-west-1\n"));
  EXPECT_THAT(scaled, HasSubstr("scalerAddress: ringway-scaler:7402\n"));
  EXPECT_THAT(service, HasSubstr("  name: ringway-scaler\n"));
}

TEST(ManifestsTest, TheChartRendersToKeysThatKubernetesHas) {
  const std::string text = RenderedChart();
  EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
  EXPECT_THAT(KindsOf(text), IsSupersetOf({"Deployment", "StatefulSet", "Service", "PodDisruptionBudget"}));
  EXPECT_THAT(text, HasSubstr("--region=eu-west-1"));
  EXPECT_THAT(text, HasSubstr("image: \"ringway:0.1.0\""));
}

// The value of a flag in the text, up to the end of its line.
std::string FlagValue(const std::string& text, const std::string& flag) {
  const std::size_t begin = text.find("--" + flag + "=") + flag.size() + 3;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(ManifestsTest, TheChartWorksUnderAnyReleaseName) {
  for (const std::string release : {"ringway", "prod", "gpu-eu-1"}) {
    const std::string text = RenderedChart(release);
    EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
    // Who is asked for must be a Service that this release makes, at a port that it has.
    const std::string controller = FlagValue(text, "controller");
    EXPECT_EQ(controller, release + "-controller:7400");
    EXPECT_THAT(text, HasSubstr("kind: Service\nmetadata:\n  name: \"" +
                                controller.substr(0, controller.find(':')) + "\"\n"))
        << release;
    EXPECT_THAT(text, HasSubstr("ports: [{name: grpc, port: 7400,"));
    EXPECT_EQ(FlagValue(text, "advertise"), "$(POD_IP):7410");
  }
  std::string elsewhere = Values();
  const std::string empty = "controllerAddress: \"\"";
  ASSERT_NE(elsewhere.find(empty), std::string::npos);
  elsewhere.replace(elsewhere.find(empty), empty.size(), "controllerAddress: far:7400");
  EXPECT_EQ(FlagValue(RenderedChart("prod", elsewhere), "controller"), "far:7400");
}

TEST(ManifestsTest, TheChartHasAPlaceForTheServerOnTheGpu) {
  std::string values = Values();
  const auto set = [&values](const std::string& name, const std::string& to) {
    const std::regex line("\n  " + name + ": (\\[\\]|\\{\\})\n");
    ASSERT_TRUE(std::regex_search(values, line)) << name;
    values = std::regex_replace(values, line, "\n  " + name + ":\n" + to);
  };
  set("extraContainers",
      "    - name: server\n      image: example/server:1\n      ports: [{containerPort: 8000}]\n"
      "      resources: {limits: {nvidia.com/gpu: 1}}\n"
      "      volumeMounts: [{name: weights, mountPath: /weights}]\n");
  set("extraVolumes", "    - name: weights\n      persistentVolumeClaim: {claimName: weights}\n");
  set("nodeSelector", "    gpu: h100\n");
  set("tolerations", "    - {key: nvidia.com/gpu, operator: Exists}\n");
  set("workerArgs", "    - --http-api=videos\n");
  set("routerArgs", "    - --videos-listen=$(POD_IP):7412\n");
  const std::string text = RenderedChart("prod", values);
  EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("        - name: server\n          image: example/server:1\n"));
  EXPECT_THAT(text, HasSubstr("nvidia.com/gpu: 1"));
  EXPECT_THAT(text, HasSubstr("        - name: weights\n          persistentVolumeClaim:"));
  EXPECT_THAT(text, HasSubstr("\n      nodeSelector:\n        gpu: h100\n"));
  EXPECT_THAT(text, HasSubstr("\n            - --http-api=videos\n"));
  EXPECT_THAT(text, HasSubstr("\n            - --videos-listen=$(POD_IP):7412\n"));
  EXPECT_THAT(text, HasSubstr("--http-upstream=http://127.0.0.1:8000/"));
}

TEST(ManifestsTest, EveryValueOfTheChartIsUsed) {
  const std::string values = Values();
  std::string templates;
  for (const auto& entry : fs::directory_iterator(kChart / "templates")) templates += ReadText(entry.path());
  std::string section;
  int used = 0;
  static const std::regex line("(?:^|\n)( *)([A-Za-z]+):( .+)?");
  for (std::sregex_iterator it(values.begin(), values.end(), line), end; it != end; ++it) {
    const auto indent = (*it)[1].length();
    if (indent > 2) continue;  // a part of a value that is used whole
    if (indent == 0) section = (*it)[3].matched ? "" : (*it)[2].str() + ".";
    if (indent == 0 && !(*it)[3].matched) continue;
    EXPECT_THAT(templates, HasSubstr(".Values." + section + (*it)[2].str() + " "));
    ++used;
  }
  EXPECT_GT(used, 35);
}

// A region of a fleet: its routers say where the others reach them, clients of both doors and Prometheus find
// theirs.
TEST(ManifestsTest, TheChartMakesOneRegionOfSeveral) {
  const std::string text = RenderedChart(
      "tokyo", ValuesWith({{"  replicas: 1", "  replicas: 0"},
                           {"controllerAddress: \"\"", "controllerAddress: 10.7.0.4:7400"},
                           {"  advertise: $(POD_IP):7410", "  advertise: $(HOST_IP):7410"},
                           {"  hostNetwork: false", "  hostNetwork: true"},
                           {"  type: ClusterIP", "  type: LoadBalancer"},
                           {"  annotations: {}", "  annotations:\n    example.com/internal: \"yes\""},
                           {"  tag: \"\"", "  tag: mine"}}));
  EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
  EXPECT_EQ(FlagValue(text, "advertise"), "$(HOST_IP):7410");
  EXPECT_THAT(text, HasSubstr("fieldPath: status.hostIP"));
  EXPECT_EQ(FlagValue(text, "controller"), "10.7.0.4:7400");
  EXPECT_THAT(text, HasSubstr("hostNetwork: true"));
  EXPECT_THAT(text, HasSubstr("type: LoadBalancer\n  selector"));
  EXPECT_THAT(text, HasSubstr("  annotations:\n    example.com/internal: yes\n"));
  EXPECT_THAT(text, HasSubstr("image: \"ringway:mine\""));
}

TEST(ManifestsTest, WhatIsSwitchedOnIsThereAndNothingOfItOtherwise) {
  const std::string plain = RenderedChart("prod");
  for (const char* word : {"7412", "PodMonitor", "NetworkPolicy", "videos"})
    EXPECT_THAT(plain, Not(HasSubstr(word)));
  std::string values = Values();
  for (std::size_t at = 0; (at = values.find("enabled: false", at)) != std::string::npos;)
    values.replace(at, 14, "enabled: true");
  const std::string text = RenderedChart("prod", values);
  EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
  EXPECT_THAT(KindsOf(text), IsSupersetOf({"PodMonitor", "NetworkPolicy", "NetworkPolicy"}));
  EXPECT_EQ(FlagValue(text, "videos-listen"), "$(POD_IP):7412");
  EXPECT_EQ(FlagValue(text, "videos-token-file"), "/etc/ringway-videos-token/token");
  EXPECT_THAT(text, HasSubstr("- {name: videos, containerPort: 7412}"));
  EXPECT_THAT(text, HasSubstr("- {name: videos, port: 7412, targetPort: videos}"));
  EXPECT_THAT(text, HasSubstr("secret: {secretName: \"ringway-videos-token\", defaultMode: 0440}"));
  // Prometheus asks for ports that the pods have.
  EXPECT_THAT(text, HasSubstr("- {port: worker-http, path: /metrics, interval: 15s}"));
  EXPECT_THAT(text, HasSubstr("{name: worker-http, containerPort: 7501}"));
  // Nobody but the release's own pods reaches a worker's door.
  const std::string policy =
      Rendered(ReadText(kChart / "templates" / "network.yaml"), values, "prod", AppVersion());
  EXPECT_THAT(policy, Not(HasSubstr("7500")));
  EXPECT_THAT(policy, HasSubstr("cidr: 10.0.0.0/8"));
}

// Films outlive their pods only where the routers are told of a store.
TEST(ManifestsTest, TheSharedStoreOfFilmsIsThereWhenItIsNamed) {
  EXPECT_THAT(RenderedChart("prod"), Not(HasSubstr("shared-store")));
  const std::string text =
      RenderedChart("prod", ValuesWith({{"  sharedStore: \"\"", "  sharedStore: http://store:9000/films"},
                                        {"  sharedStoreRegion: us-east-1", "  sharedStoreRegion: eu-1"}}));
  EXPECT_THAT(ProblemsOf(text), IsEmpty()) << text;
  EXPECT_EQ(FlagValue(text, "videos-shared-store"), "http://store:9000/films");
  EXPECT_EQ(FlagValue(text, "videos-shared-store-region"), "eu-1");
  EXPECT_EQ(FlagValue(text, "videos-shared-store-credentials"), "/etc/ringway-shared-store/credentials");
  EXPECT_THAT(text, HasSubstr("secret: {secretName: \"ringway-shared-store\", defaultMode: 0440}"));
  EXPECT_THAT(text,
              HasSubstr("- {name: shared-store, mountPath: /etc/ringway-shared-store, readOnly: true}"));
}

// Against the schemas that Kubernetes and the Prometheus Operator publish, from npm: the plain manifests, the
// chart as it is, and the chart with all that can be switched on.
class SchemasTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Installed("npm") || !Installed("node")) GTEST_SKIP() << "no npm here";
    const Ran got =
        RunShell("mkdir -p " + folder_ + " && cd " + folder_ + " && cp " + RINGWAY_SOURCE_DIR +
                 "/tests/deploy/schemas.mjs . && { [ -d node_modules/typescript ] || timeout 100 npm install "
                 "--silent --no-audit --no-fund --ignore-scripts kubernetes-models@5 "
                 "@kubernetes-models/prometheus-operator@6 yaml@2 typescript@5; } 2>&1");
    if (got.code != 0)
      GTEST_SKIP() << "THE PUBLISHED SCHEMAS ARE NOT CHECKED: npm cannot install them here: " << got.output;
  }
  Ran Check(const std::vector<std::string>& manifests) const {
    std::string files;
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      const std::string file = folder_ + "/manifest-" + std::to_string(i) + ".yaml";
      std::ofstream(file) << manifests[i];
      files += " " + file;
    }
    return RunShell("cd " + folder_ + " && timeout 120 node schemas.mjs" + files + " 2>&1");
  }
  const std::string folder_ = std::string(RINGWAY_BIN_DIR) + "/../npm-schemas";
};

TEST_F(SchemasTest, TakeTheManifestsAndTheChart) {
  std::string all = Values();
  for (std::size_t at = 0; (at = all.find("enabled: false", at)) != std::string::npos;)
    all.replace(at, 14, "enabled: true");
  const auto set = [&all](const std::string& from, const std::string& to) {
    const std::size_t at = all.find(from + "\n");
    ASSERT_NE(at, std::string::npos) << from;
    all.replace(at, from.size(), to);
  };
  set("  sharedStore: \"\"", "  sharedStore: http://store:9000/films");
  set("  hostNetwork: false", "  hostNetwork: true");
  set("  type: ClusterIP", "  type: LoadBalancer");
  set("  annotations: {}", "  annotations: {example.com/internal: \"yes\"}");
  set("  extraContainers: []",
      "  extraContainers:\n    - name: server\n      image: example/server:1\n      resources: {limits: "
      "{nvidia.com/gpu: 1}}\n      volumeMounts: [{name: weights, mountPath: /weights}]");
  set("  extraVolumes: []",
      "  extraVolumes:\n    - name: weights\n      persistentVolumeClaim: {claimName: weights}");
  set("  nodeSelector: {}", "  nodeSelector: {gpu: h100}");
  set("  tolerations: []", "  tolerations: [{key: nvidia.com/gpu, operator: Exists}]");
  set("  affinity: {}",
      "  affinity:\n    podAntiAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "        - topologyKey: kubernetes.io/hostname");
  set("imagePullSecrets: []", "imagePullSecrets: [{name: mine}]");
  set("  clients: []", "  clients: [{namespaceSelector: {matchLabels: {team: film}}}]");
  set("  workerArgs: []", "  workerArgs: [--http-api=videos]");
  set("  routerArgs: []", "  routerArgs: [--log-level=warning]");
  set("  extraArgs: []", "  extraArgs: [--dashboard-writes]");
  const Ran ran = Check({ReadText(kDeployFolder / "kubernetes" / "controller.yaml"),
                         ReadText(kDeployFolder / "kubernetes" / "gpu-pod.yaml"), RenderedChart("prod"),
                         RenderedChart("prod", all), ReadText(kDeployFolder / "sim" / "sweep-job.yaml")});
  EXPECT_EQ(ran.code, 0) << ran.output;
  // 2 + 2 plain ones, 5 of the chart as it is, 8 with everything, and the simulator's.
  EXPECT_THAT(ran.output, HasSubstr("18 documents, 0 mistakes"));
}

TEST_F(SchemasTest, FindWhatTheServerWouldDropOrRefuse) {
  const std::string good = ReadText(kDeployFolder / "kubernetes" / "controller.yaml");
  for (const auto& [from, to] : {std::pair{"readinessProbe", "readynessProbe"},
                                 {"containerPort: 7400", "containerPort: seven"},
                                 {"type: RuntimeDefault", "type: {}"},
                                 {" containers:", " initContainers:"}}) {
    const std::string bad = std::regex_replace(good, std::regex(from), to);
    ASSERT_NE(bad, good) << from;
    EXPECT_EQ(Check({bad}).code, 1) << from;
  }
}

// What the validator is for: each of these installs without a word and does something else.
TEST(ManifestsTest, MistakesAreFound) {
  const std::string good = ReadText(kDeployFolder / "kubernetes" / "controller.yaml");
  const auto edited = [&good](const std::string& from, const std::string& to) {
    return ProblemsOf(std::regex_replace(good, std::regex(from), to));
  };
  EXPECT_THAT(edited("readinessProbe", "readynessProbe"),
              Contains("StatefulSet.spec.template.spec.containers[0]: unknown key 'readynessProbe'"));
  EXPECT_THAT(edited("serviceName: .*", ""), Contains("StatefulSet.spec: the key 'serviceName' is missing"));
  EXPECT_THAT(edited("containers:\n        - name", "containers:\n          name"), Contains(HasSubstr("")));
  EXPECT_THAT(edited("kind: Service", "kind: Servise"), Contains("unknown kind 'Servise'"));
  EXPECT_THAT(ProblemsOf("kind: {{ .Values.kind }}"), Contains("a template that nobody filled in"));
}

// Not built here, because that needs a container runtime and its registry: what can be read of it is.
TEST(ContainerTest, TheFileIsSound) {
  const std::string text = ReadText(kDeployFolder.parent_path() / "Containerfile");
  std::set<std::string> stages;
  static const std::regex from("(?:^|\n)FROM (\\S+)(?: AS (\\w+))?");
  static const std::regex debian("debian:12(-slim)?");
  int count = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), from), end; it != end; ++it, ++count) {
    EXPECT_TRUE(std::regex_match((*it)[1].str(), debian)) << (*it)[1];
    stages.insert((*it)[2]);
  }
  EXPECT_EQ(count, 2) << "one stage builds, one runs";
  static const std::regex use("from=(\\w+)");
  for (std::sregex_iterator it(text.begin(), text.end(), use), end; it != end; ++it) {
    EXPECT_TRUE(stages.contains((*it)[1])) << "no stage is called " << (*it)[1];
  }
  // The user that the manifests run it as, by number.
  EXPECT_THAT(text, HasSubstr("\nUSER 65532:65532\n"));
  EXPECT_THAT(ReadText(kDeployFolder / "kubernetes" / "gpu-pod.yaml"), HasSubstr("runAsUser: 65532"));
  EXPECT_THAT(text, HasSubstr("--no-install-recommends"));
  EXPECT_EQ(text.find(":latest"), std::string::npos);
}

}  // namespace
}  // namespace ringway
