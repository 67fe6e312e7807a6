// The Debian package: what is in it, and, where that is possible, that it installs, starts, upgrades and
// goes.
//
// The last needs root, the network and the root of a bare Debian 12: RINGWAY_CHROOT_BASE, or what debootstrap
// makes beside the build, once. Where one of them is missing the test is skipped and says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "tests/deploy/package_references.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kSource = RINGWAY_SOURCE_DIR;

// Made once; packing takes a few seconds.
class PackageTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Installed("dpkg-shlibdeps") || !Installed("dpkg-deb") || !Installed("python3")) return;
    folder_ = ::testing::TempDir() + "ringway-package-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    new_ = Build("");
  }
  static void TearDownTestSuite() {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  void SetUp() override {
    if (folder_.empty()) GTEST_SKIP() << "no dpkg-dev or python3 here";
    ASSERT_THAT(new_, HasSubstr(".deb"));
  }
  static std::string Build(const std::string& version) {
    const std::string chosen = version.empty() ? "" : "RINGWAY_DEB_VERSION=" + version + " ";
    const Ran ran = RunShell(chosen + "RINGWAY_DEB_EFFORT=0 " + kSource + "/tools/package/deb.sh " +
                             RINGWAY_BIN_DIR + " " + folder_);
    EXPECT_EQ(ran.code, 0) << ran.output;
    const std::size_t path = ran.output.rfind(folder_);
    return path == std::string::npos ? "" : ran.output.substr(path, ran.output.find('\n', path) - path);
  }
  static std::string Field(const std::string& name) { return OutputOf("dpkg-deb -f " + new_ + " " + name); }

  inline static std::string folder_, new_;
};

TEST_F(PackageTest, SaysWhatItNeedsAndWhatItIs) {
  EXPECT_THAT(Field("Depends"), HasSubstr("libc6 (>="));
  EXPECT_THAT(Field("Depends"), HasSubstr("libgrpc++1"));
  EXPECT_THAT(Field("Depends"), HasSubstr("adduser"));
  EXPECT_THAT(Field("Depends"), Not(HasSubstr("-dev")));
  EXPECT_THAT(Field("Version"), HasSubstr("0.1.0"));
  EXPECT_THAT(Field("Package"), HasSubstr("ringway"));
  // A build between releases is older than the release.
  EXPECT_EQ(RunShell("dpkg --compare-versions 0.1.0~git1 lt 0.1.0").code, 0);
}

TEST_F(PackageTest, HoldsProgramsUnitsManualsCompletionsAndSettings) {
  const std::string list = OutputOf("dpkg-deb -c " + new_);
  for (const char* path :
       {"./usr/bin/ringway\n", "./usr/bin/ringway-controller\n", "./usr/bin/ringway-router\n",
        "./usr/bin/ringway-worker\n", "./usr/bin/ringway-preview\n",
        "./lib/systemd/system/ringway-worker@.service\n", "./usr/share/man/man1/ringway.1.gz\n",
        "./usr/share/man/man1/ringway-top.1.gz\n", "./usr/share/man/man8/ringway-router.8.gz\n",
        "./usr/share/bash-completion/completions/ringway\n", "./usr/share/zsh/vendor-completions/_ringway\n",
        "./usr/share/fish/vendor_completions.d/ringway.fish\n", "./usr/share/doc/ringway/operating.md\n",
        "./usr/share/doc/ringway/copyright\n", "./usr/share/ringway/topology/local.yaml\n",
        "./usr/share/ringway/model/model_index.json\n",
        "./usr/share/ringway/model/unet/diffusion_pytorch_model.safetensors\n"}) {
    EXPECT_THAT(list, HasSubstr(path));
  }
  // What draws pictures is in it where the checkout has it.
  const bool draws = std::filesystem::exists(kSource + "/engine/weights/scenes/student/model_index.json");
  EXPECT_EQ(list.find("./usr/share/ringway/scenes/student/model_index.json\n") != std::string::npos, draws);
  const std::string settings = OutputOf("dpkg-deb --ctrl-tarfile " + new_ + " | tar -xO ./conffiles");
  for (const char* path : {"controller.env", "host.env", "router.env", "worker-0.env", "world.yaml"}) {
    EXPECT_THAT(settings, HasSubstr("/etc/ringway/" + std::string(path) + "\n"));
  }
}

TEST_F(PackageTest, HoldsWhatItsPagesAndManualsReferTo) {
  const std::string unpacked = folder_ + "/unpacked";
  ASSERT_EQ(RunShell("dpkg-deb -x " + new_ + " " + unpacked).code, 0);
  ASSERT_TRUE(std::filesystem::exists(unpacked + "/usr/share/doc/ringway/simulating.md"));
  EXPECT_THAT(MissingInPackage(unpacked), IsEmpty());
  // The scenarios there are read where they lie.
  const Ran ran = RunShell("cd " + unpacked + "/usr/share/doc/ringway && ../../../bin/ringway sim run " +
                           "sim/scenarios/launch-spike.yaml --duration 2 2>&1");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

// One version: of the build, the program, the package, the chart and the changes.
TEST_F(PackageTest, EverythingSaysTheSameVersion) {
  std::smatch found;
  const std::string lists = ReadText(kSource + "/CMakeLists.txt");
  ASSERT_TRUE(std::regex_search(lists, found, std::regex("project\\(ringway VERSION ([0-9.]+)")));
  const std::string version = found[1];
  EXPECT_EQ(OutputOf(std::string(RINGWAY_BIN_DIR) + "/ringway version"), version + "\n");
  EXPECT_THAT(Field("Version"), ::testing::MatchesRegex(version + "(~git[0-9]+\\.[0-9a-z]+)?\n"));
  const std::string changes = ReadText(kSource + "/CHANGELOG.md");
  ASSERT_TRUE(std::regex_search(changes, found, std::regex("\n## ([0-9.]+)")));
  EXPECT_EQ(found[1], version) << "the newest heading of CHANGELOG.md";
  const std::string chart = ReadText(kSource + "/deploy/helm/ringway/Chart.yaml");
  EXPECT_THAT(chart, HasSubstr("\nappVersion: " + version + "\n"));
}

TEST_F(PackageTest, TwoRunsMakeTheSameBytes) {
  const std::string first = OutputOf("sha256sum < " + new_);
  EXPECT_EQ(OutputOf("sha256sum < " + Build("")), first);
}

TEST_F(PackageTest, ItsScriptsAreSound) {
  if (!Installed("shellcheck")) GTEST_SKIP() << "no shellcheck here";
  const Ran ran = RunShell("cd " + kSource + " && shellcheck deploy/debian/p* tools/package/*.sh");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

// Empty: there is none, and none can be made.
std::string BareDebian() {
  if (const char* base = std::getenv("RINGWAY_CHROOT_BASE")) return base;
  const std::string made = std::string(RINGWAY_BIN_DIR) + "/../bare-debian";
  if (std::filesystem::exists(made)) return made;
  if (!Installed("debootstrap")) return "";
  const Ran ran = RunShell("rm -rf --one-file-system " + made +
                           ".new && timeout 300 debootstrap --variant=minbase bookworm " + made +
                           ".new && mv " + made + ".new " + made);
  if (ran.code != 0) std::printf("debootstrap: %s\n", ran.output.substr(ran.output.size() / 2).c_str());
  return ran.code == 0 ? made : "";
}

TEST_F(PackageTest, InstallsStartsUpgradesAndLeavesNothingInABareDebian) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may change its root folder";
  const std::string base = BareDebian();
  if (base.empty())
    GTEST_SKIP() << "no bare Debian 12: RINGWAY_CHROOT_BASE names none, and debootstrap makes none";
  const std::string old = Build("0.0.9");
  const Ran ran =
      RunShell("timeout 500 " + kSource + "/tools/package/prove.sh " + base + " " + old + " " + new_);
  if (ran.output.find("FAILED: apt-get update") != std::string::npos)
    GTEST_SKIP() << "no network: " << ran.output;
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("ok a purge leaves nothing"));
  std::printf("%s", ran.output.c_str());
}

// The image in OUT of oci.sh, unpacked into BUNDLE: prints its configuration, after its blobs have been held
// against their names.
std::string ImageOf(const std::string& folder, const std::string& root_tar, const std::string& package) {
  const Ran made = RunShell("cd " + folder + " && " + kSource + "/tools/image/oci.sh " + package + " oci " +
                            root_tar + " 2>&1");
  EXPECT_EQ(made.code, 0) << made.output;
  const Ran ran =
      RunShell("set -e; cd " + folder +
               "/oci/blobs/sha256; for blob in *; do echo \"$blob  $blob\"; done | sha256sum -c --quiet\n"
               "cd " +
               folder +
               "; tag=$(sed 's/.*ref.name\":\"\\([^\"]*\\).*/\\1/' oci/index.json)\n"
               "rm -rf bundle; umoci unpack --image oci:$tag bundle >/dev/null\n"
               "grep -ls '\"rootfs\"' oci/blobs/sha256/* | xargs cat");
  EXPECT_EQ(ran.code, 0) << ran.output;
  return ran.output;
}

void ExpectImage(const std::string& folder, const std::string& configuration) {
  for (const char* part : {"\"User\":\"65532:65532\"", "\"Cmd\":[\"ringway\",\"--help\"]", "\"os\":\"linux\"",
                           "\"org.opencontainers.image.version\":\"0.1.0", "/usr/bin"})
    EXPECT_THAT(configuration, HasSubstr(part));
  for (const char* program :
       {"ringway", "ringway-controller", "ringway-router", "ringway-worker", "ringway-preview"})
    EXPECT_TRUE(std::filesystem::exists(folder + "/bundle/rootfs/usr/bin/" + program)) << program;
}

// The cheap part: the layout, from a root that is the package alone.
TEST_F(PackageTest, BecomesAnOciImage) {
  if (!Installed("umoci") || geteuid() != 0) GTEST_SKIP() << "no umoci here, or not root";
  ASSERT_EQ(RunShell("dpkg-deb --fsys-tarfile " + new_ + " > " + folder_ + "/root.tar").code, 0);
  ExpectImage(folder_, ImageOf(folder_, "root.tar", new_));
}

// `./dev image` makes this one; two and a half minutes of a processor, so only where it is asked for.
TEST_F(PackageTest, TheWholeImageRunsItsPrograms) {
  if (std::getenv("RINGWAY_IMAGE_TEST") == nullptr)
    GTEST_SKIP() << "THE WHOLE IMAGE IS NOT BUILT: set RINGWAY_IMAGE_TEST=1";
  if (!Installed("umoci") || !Installed("mmdebstrap") || geteuid() != 0)
    GTEST_SKIP() << "no umoci or mmdebstrap here, or not root";
  ExpectImage(folder_, ImageOf(folder_, "", new_));
  for (const char* program :
       {"ringway", "ringway-controller", "ringway-router", "ringway-worker", "ringway-preview"}) {
    const Ran ran = RunShell("chroot --userspec=65532:65532 " + folder_ + "/bundle/rootfs " + program +
                             " --version 2>&1");
    EXPECT_EQ(ran.code, 0) << program << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("0.1.0"));
  }
}

}  // namespace
}  // namespace ringway
