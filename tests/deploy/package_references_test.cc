// What goes through a package's pages finds what is missing; package_test.cc lets it go through the real one.
#include "tests/deploy/package_references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ringway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PackageReferencesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "ringway-references-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::filesystem::path root_;
};

TEST_F(PackageReferencesTest, WhatAPageNamesIsLookedFor) {
  Put("usr/share/doc/ringway/other.md", "");
  Put("usr/share/doc/ringway/deploy/a.yaml", "");
  Put("usr/share/doc/ringway/page.md",
      "[here](other.md#part), [web](https://example.org/x.md), `deploy/a.yaml`, `docs/other.md`, "
      "`core/ids.h`\n"
      "[gone](gone.md) and\n`deploy/b.yaml` and `sim/none.yaml`\n");
  EXPECT_THAT(MissingInPackage(root_),
              ElementsAre(HasSubstr("page.md:2: names gone.md"), HasSubstr("page.md:3: names deploy/b.yaml"),
                          HasSubstr("page.md:3: names sim/none.yaml")));
}

TEST_F(PackageReferencesTest, AManualNamesFilesOfThePackage) {
  Put("usr/bin/ringway", "");
  Put("usr/share/man/man1/a.1", "[default: /usr/bin/ringway] in /var/lib/x.\n");
  EXPECT_THAT(MissingInPackage(root_), IsEmpty());
  Put("usr/share/man/man1/a.1", "/usr/share/ringway\\-none, /somewhere/build/bin,\nsee docs/cli.md\n");
  EXPECT_THAT(MissingInPackage(root_), ElementsAre(HasSubstr("a.1:1: names /somewhere/build/bin"),
                                                   HasSubstr("a.1:1: names /usr/share/ringway-none"),
                                                   HasSubstr("a.1:2: names docs/cli.md")));
}

}  // namespace
}  // namespace ringway
