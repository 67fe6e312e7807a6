#include "tests/deploy/manifests.h"

#include <yaml-cpp/yaml.h>

#include <regex>
#include <set>
#include <sstream>

namespace ringway {
namespace {

// TYPE = key[!][:TYPE] ...; `!` is required, `[]` a list, `{}` a mapping with keys of one's own, `*`
// anything.
constexpr char kSchema[] = R"(
Deployment = apiVersion! kind! metadata!:Meta spec!:DeploymentSpec
DeploymentSpec = replicas revisionHistoryLimit selector!:Selector strategy:Strategy template!:PodTemplate
Strategy = type rollingUpdate:RollingUpdate
RollingUpdate = maxSurge maxUnavailable
StatefulSet = apiVersion! kind! metadata!:Meta spec!:StatefulSetSpec
StatefulSetSpec = replicas serviceName! selector!:Selector template!:PodTemplate volumeClaimTemplates:[]Claim
Claim = metadata!:Meta spec!:ClaimSpec
ClaimSpec = accessModes!:[] storageClassName resources!:Resources
Service = apiVersion! kind! metadata!:Meta spec!:ServiceSpec
ServiceSpec = selector:{} ports!:[]ServicePort type clusterIP publishNotReadyAddresses
ServicePort = name port! targetPort protocol
ConfigMap = apiVersion! kind! metadata!:Meta data:{}
PodDisruptionBudget = apiVersion! kind! metadata!:Meta spec!:DisruptionSpec
DisruptionSpec = minAvailable maxUnavailable selector!:Selector
Kustomization = apiVersion! kind! resources!:[] images:[]Image configMapGenerator:[]Generator
Image = name! newName newTag digest
Generator = name! literals:[] files:[]
Meta = name! namespace labels:{} annotations:{}
PodMeta = labels!:{} annotations:{}
Selector = matchLabels!:{}
PodTemplate = metadata!:PodMeta spec!:PodSpec
PodSpec = automountServiceAccountToken enableServiceLinks terminationGracePeriodSeconds securityContext:PodSecurity
PodSpec = volumes:[]Volume containers!:[]Container serviceAccountName nodeSelector:{} tolerations:* affinity:*
PodSecurity = runAsNonRoot runAsUser runAsGroup fsGroup seccompProfile:Seccomp
Seccomp = type! localhostProfile
Volume = name! configMap:ConfigVolume secret:SecretVolume emptyDir:EmptyDir
ConfigVolume = name! defaultMode optional
SecretVolume = secretName! defaultMode optional
EmptyDir = sizeLimit medium
Container = name! image! command:[] args:[] env:[]Env envFrom:[]EnvFrom ports:[]ContainerPort livenessProbe:Probe
Container = readinessProbe:Probe startupProbe:Probe volumeMounts:[]Mount resources:Resources securityContext:Security
Container = imagePullPolicy workingDir
Env = name! value valueFrom:EnvSource
EnvSource = fieldRef:FieldRef
FieldRef = fieldPath!
EnvFrom = configMapRef:Named
Named = name! optional
ContainerPort = name containerPort! protocol
Probe = httpGet!:HttpGet periodSeconds timeoutSeconds failureThreshold initialDelaySeconds
HttpGet = path! port! scheme
Mount = name! mountPath! readOnly subPath
Resources = requests:{} limits:{}
Security = allowPrivilegeEscalation readOnlyRootFilesystem capabilities:Capabilities runAsNonRoot runAsUser privileged
Capabilities = drop:[] add:[]
)";

struct Field {
  std::string type;
  bool required = false;
};
using Schema = std::map<std::string, std::map<std::string, Field>>;

const Schema& Known() {
  static const Schema schema = [] {
    Schema made;
    std::istringstream lines(kSchema);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string type, equals, word;
      if (!(words >> type >> equals)) continue;
      while (words >> word) {
        const std::size_t colon = word.find(':');
        std::string key = word.substr(0, colon);
        Field field{.type = colon == std::string::npos ? "" : word.substr(colon + 1)};
        field.required = key.back() == '!';
        if (field.required) key.pop_back();
        made[type][key] = field;
      }
    }
    return made;
  }();
  return schema;
}

void Check(const YAML::Node& node, const std::string& type, const std::string& at,
           std::vector<std::string>& out) {
  if (type == "*") return;
  if (type.empty()) {
    if (!node.IsScalar()) out.push_back(at + ": a single value belongs here");
  } else if (type == "{}") {
    if (!node.IsMap()) out.push_back(at + ": a mapping belongs here");
  } else if (type.rfind("[]", 0) == 0) {
    if (!node.IsSequence()) {
      out.push_back(at + ": a list belongs here");
      return;
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
      Check(node[i], type.substr(2), at + "[" + std::to_string(i) + "]", out);
    }
  } else if (!node.IsMap()) {
    out.push_back(at + ": a mapping belongs here");
  } else {
    const auto& fields = Known().at(type);
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string key = entry.first.as<std::string>();
      if (!seen.insert(key).second) out.push_back(at + ": the key '" + key + "' twice");
      const auto field = fields.find(key);
      if (field == fields.end()) {
        out.push_back(at + ": unknown key '" + key + "'");
      } else {
        Check(entry.second, field->second.type, at + "." + key, out);
      }
    }
    for (const auto& [key, field] : fields) {
      if (field.required && !seen.contains(key)) out.push_back(at + ": the key '" + key + "' is missing");
    }
  }
}

}  // namespace

std::vector<std::string> ProblemsOf(const std::string& manifests) {
  std::vector<std::string> problems;
  if (manifests.find("{{") != std::string::npos) problems.push_back("a template that nobody filled in");
  try {
    for (const YAML::Node& document : YAML::LoadAll(manifests)) {
      const std::string kind = document["kind"] ? document["kind"].as<std::string>() : "";
      if (Known().contains(kind) && Known().at(kind).contains("apiVersion")) {
        Check(document, kind, kind, problems);
      } else {
        problems.push_back("unknown kind '" + kind + "'");
      }
    }
  } catch (const YAML::Exception& error) {
    problems.push_back(error.what());
  }
  return problems;
}

std::vector<std::string> KindsOf(const std::string& manifests) {
  std::vector<std::string> kinds;
  for (const YAML::Node& document : YAML::LoadAll(manifests))
    kinds.push_back(document["kind"].as<std::string>());
  return kinds;
}

std::string Rendered(const std::string& chart_template, const std::string& values,
                     const std::string& release) {
  const YAML::Node root = YAML::Load(values);
  static const std::regex action(R"(\{\{ \.(Values|Release)\.([A-Za-z.]+) \}\})");
  std::string text;
  auto from = chart_template.cbegin();
  const std::sregex_iterator end;
  for (std::sregex_iterator it(chart_template.begin(), chart_template.end(), action); it != end; ++it) {
    text.append(from, (*it)[0].first);
    from = (*it)[0].second;
    if ((*it)[1] == "Release" && (*it)[2] == "Name") {
      text += release;
      continue;
    }
    YAML::Node value = YAML::Clone(root);
    std::istringstream path((*it)[2]);
    for (std::string key; std::getline(path, key, '.');) value.reset(value[key]);
    text += value.IsScalar() ? value.as<std::string>() : (*it)[0].str();
  }
  return text.append(from, chart_template.cend());
}

}  // namespace ringway
