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
PodMonitor = apiVersion! kind! metadata!:Meta spec!:MonitorSpec
MonitorSpec = selector!:Selector podMetricsEndpoints!:[]MetricsEndpoint
MetricsEndpoint = port! path interval scheme
NetworkPolicy = apiVersion! kind! metadata!:Meta spec!:PolicySpec
PolicySpec = podSelector!:Selector policyTypes:[] ingress:[]IngressRule
IngressRule = from:[]Peer ports:[]PolicyPort
Peer = podSelector:Selector namespaceSelector:Selector ipBlock:Block
Block = cidr! except:[]
PolicyPort = port! protocol endPort
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
PodSpec = hostNetwork dnsPolicy automountServiceAccountToken enableServiceLinks terminationGracePeriodSeconds securityContext:PodSecurity
PodSpec = imagePullSecrets:[]Named volumes:[]Volume containers!:[]Container serviceAccountName nodeSelector:{} tolerations:* affinity:*
PodSecurity = runAsNonRoot runAsUser runAsGroup fsGroup seccompProfile:Seccomp
Seccomp = type! localhostProfile
Volume = name! configMap:ConfigVolume secret:SecretVolume emptyDir:EmptyDir persistentVolumeClaim:Claimed
Claimed = claimName! readOnly
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

namespace {

using Matches = std::sregex_iterator;

YAML::Node ValueAt(const YAML::Node& root, const std::string& path) {
  YAML::Node value = YAML::Clone(root);
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) value.reset(value[key]);
  return value;
}

// Each match of `form` becomes what `fill` makes of it.
template <class Fill>
std::string Replaced(const std::string& text, const std::regex& form, Fill fill) {
  std::string filled;
  auto from = text.cbegin();
  for (Matches it(text.begin(), text.end(), form), end; it != end; ++it) {
    filled.append(from, (*it)[0].first).append(fill(*it));
    from = (*it)[0].second;
  }
  return filled.append(from, text.cend());
}

// As toYaml writes it, however it was written.
void MakeBlocks(YAML::Node node) {
  if (node.IsScalar() || node.size() == 0) return;
  node.SetStyle(YAML::EmitterStyle::Block);
  for (auto it = node.begin(); it != node.end(); ++it)
    MakeBlocks(node.IsMap() ? it->second : YAML::Node(*it));
}

// The value as YAML, each line moved in by `spaces`, behind a new line: toYaml and nindent.
std::string Indented(const YAML::Node& value, int spaces) {
  std::string text;
  const YAML::Node blocks = YAML::Clone(value);
  MakeBlocks(blocks);
  std::istringstream lines(YAML::Dump(blocks));
  for (std::string line; std::getline(lines, line);)
    text += "\n" + std::string(static_cast<std::size_t>(spaces), ' ') + line;
  return text;
}

bool IsTrue(const YAML::Node& value) {
  if (!value || value.IsNull()) return false;
  if (value.IsScalar()) return value.as<std::string>() != "false" && !value.as<std::string>().empty();
  return value.size() > 0;
}

// {{- if VALUE }} ... {{- end }} and {{- with VALUE }} ... {{- toYaml . | nindent N }} ... {{- end }}, one in
// another: nothing where the value is false or empty. The minus takes the space before the braces away. Reads
// from `at` to the end of the block, or of the text; `dot` is the value of the innermost `with`.
std::string Blocks(const std::string& text, std::size_t& at, const YAML::Node& root, const YAML::Node& dot) {
  static const std::regex form(
      R"(^\{\{- (?:(if|with) \.Values\.([A-Za-z.]+)|(end)|toYaml \. \| nindent (\d+)) \}\})");
  std::string out;
  while (at < text.size()) {
    const std::size_t action = text.find("{{- ", at);
    out += text.substr(at, action - at);
    if (action == std::string::npos) {
      at = text.size();
      break;
    }
    std::smatch match;
    const std::string line = text.substr(action, text.find('\n', action) - action);
    if (!std::regex_search(line, match, form)) {
      out += "{{- ";  // none of ours: left standing
      at = action + 4;
      continue;
    }
    at = action + static_cast<std::size_t>(match.length(0));
    out.erase(out.find_last_not_of(" \n") + 1);
    if (match[3].matched) break;
    if (match[4].matched) {
      out += Indented(dot, std::stoi(match[4]));
      continue;
    }
    const YAML::Node value = ValueAt(root, match[2]);
    const std::string inside = Blocks(text, at, root, match[1] == "with" ? value : dot);
    if (IsTrue(value)) out += inside;
  }
  return out;
}

}  // namespace

std::string Rendered(const std::string& chart_template, const std::string& values, const std::string& release,
                     const std::string& app_version) {
  const YAML::Node root = YAML::Load(values);
  static const std::regex fallback(
      R"~(\{\{ \.Values\.([A-Za-z.]+) \| default \(printf "([^"%]*)%s([^"%]*)" \.Release\.Name\) \}\})~");
  static const std::regex action(R"(\{\{ \.(Values|Release)\.([A-Za-z.]+) \}\})");
  const auto said_or_made = [&](const std::smatch& match) {
    const YAML::Node value = ValueAt(root, match[1]);
    const std::string said = value.IsScalar() ? value.as<std::string>() : "";
    return said.empty() ? match[2].str() + release + match[3].str() : said;
  };
  static const std::regex versioned(R"(\{\{ \.Values\.([A-Za-z.]+) \| default \.Chart\.AppVersion \}\})");
  std::size_t begin = 0;
  std::string text = Replaced(Blocks(chart_template, begin, root, YAML::Node()), fallback, said_or_made);
  text = Replaced(text, versioned, [&](const std::smatch& match) {
    const std::string said = ValueAt(root, match[1]).as<std::string>();
    return said.empty() ? app_version : said;
  });
  return Replaced(text, action, [&](const std::smatch& match) {
    if (match[1] == "Release" && match[2] == "Name") return release;
    const YAML::Node value = ValueAt(root, match[2]);
    return value.IsScalar() ? value.as<std::string>() : match[0].str();
  });
}

}  // namespace ringway
