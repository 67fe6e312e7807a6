#include "tests/deploy/npm_package.h"

#include "tests/deploy/shell.h"

namespace ringway {

NpmPackage InstallNpmPackage(const std::string& spec, const std::string& name, const std::string& under) {
  const std::string folder = under + "/" + name;
  if (!Installed("npm") || !Installed("node")) return {folder, "no npm here"};
  const Ran got =
      RunShell("mkdir -p '" + folder + "' && cd '" + folder +
               "' && exec 9> lock && flock 9 && { [ \"$(cat installed 2> /dev/null)\" = '" + spec +
               "' ] || { rm -rf node_modules package.json package-lock.json installed && " +
               "timeout 100 npm install --silent --no-audit --no-fund --ignore-scripts '" + spec +
               "' && echo '" + spec + "' > installed; }; }");
  if (got.code == 0) return {folder, ""};
  return {folder, "npm cannot install " + spec + " here: " + got.output};
}

NpmPackage InstallNpmPackage(const std::string& spec, const std::string& name) {
  return InstallNpmPackage(spec, name, RINGWAY_BUILD_DIR "/npm");
}

}  // namespace ringway
