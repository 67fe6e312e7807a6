// Strict validation of Kubernetes manifests: every key must be one that the API has at that place.
//
// `kubectl apply` drops what it does not know and a chart that misspells a field installs without it, so the
// keys of the kinds that we ship are listed here, with which of them are required. Values are checked only as
// far as their shape (mapping, list, scalar). The list is that of Kubernetes 1.30's API reference, without
// the fields that we do not use and would have to think about before we did.
//
// Threads: pure functions, apart from reading files.
#ifndef RINGWAY_TESTS_DEPLOY_MANIFESTS_H_
#define RINGWAY_TESTS_DEPLOY_MANIFESTS_H_

#include <map>
#include <string>
#include <vector>

namespace ringway {

// One line a mistake: "Deployment.spec.template: unknown key 'specs'". Every document of the text.
std::vector<std::string> ProblemsOf(const std::string& manifests);
// The kinds of the documents, in order.
std::vector<std::string> KindsOf(const std::string& manifests);

// A template of our chart with its values put in. These forms occur: `{{ .Values.a.b }}`, `{{ .Release.Name
// }}`,
// `{{ .Values.a | default (printf "%s-b" .Release.Name) }}`, `{{ .Values.a | default .Chart.AppVersion }}`,
// and blocks of `{{- if .Values.a }}` or `{{- with .Values.a }}` to `{{- end }}`, in which
// `{{- toYaml . | nindent N }}` stands. Anything else is left standing, and makes a problem.
std::string Rendered(const std::string& chart_template, const std::string& values, const std::string& release,
                     const std::string& app_version);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DEPLOY_MANIFESTS_H_
