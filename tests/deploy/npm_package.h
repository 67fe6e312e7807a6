// Packages of npm that tests drive: clients and servers that others wrote.
//
// A package lies in a folder of its own under the build folder and is fetched once for all tests. Tests run
// side by side, and two npm that install into one folder at once leave packages with files missing: one at a
// time gets to it, and it counts as there only when npm had finished and had said that all went well.
#ifndef RINGWAY_TESTS_DEPLOY_NPM_PACKAGE_H_
#define RINGWAY_TESTS_DEPLOY_NPM_PACKAGE_H_

#include <string>

namespace ringway {

struct NpmPackage {
  std::string folder;   // has node_modules; a script in it can import the package
  std::string why_not;  // what to say where the package cannot be had; else empty
};

// `spec` as npm takes it, with a version: "openai@6", "@20minutes/s3rver@4.0.4". `name` is the folder under
// `under`. No script of the package runs.
NpmPackage InstallNpmPackage(const std::string& spec, const std::string& name, const std::string& under);
// In the build folder.
NpmPackage InstallNpmPackage(const std::string& spec, const std::string& name);

}  // namespace ringway

#endif  // RINGWAY_TESTS_DEPLOY_NPM_PACKAGE_H_
