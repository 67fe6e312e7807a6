// Self-tests of the rules about structure: layers, purity, sizes, notes.
#include <gtest/gtest.h>

#include "tests/tidy/map.h"
#include "tests/tidy/snippet.h"

namespace ringway::tidy {
namespace {

Findings Including(const std::string& from, const std::string& what) {
  return FindingsOf(CheckLayers, Tree({{from, "#include \"" + what + "\"\n"}, {what, ""}}));
}

TEST(LayersRule, DependenciesPointOneWay) {
  EXPECT_EQ(Including("core/a.h", "controller/planner/planner.h").size(), 1u);
  EXPECT_EQ(Including("controller/planner/a.cc", "router/dispatch/alias.h").size(), 1u);
  EXPECT_EQ(Including("router/dispatch/a.cc", "controller/planner/planner.h").size(), 1u);
  EXPECT_EQ(Including("sim/a.cc", "runtime/event_loop.h").size(), 1u);
  EXPECT_EQ(Including("router/daemon/a.cc", "worker/agent.h").size(), 1u);
  EXPECT_EQ(Including("worker/main.cc", "controller/daemon/admin.h").size(), 1u);
  EXPECT_EQ(Including("engine/a.cc", "router/dispatch/alias.h").size(), 1u);
  EXPECT_EQ(Including("engine/a.cc", "core/ids.h").size(), 1u);
  EXPECT_EQ(Including("router/router_machine.h", "router/daemon/ingress.h").size(), 1u);
  EXPECT_EQ(Including("sim/a.cc", "controller/daemon/admin.h").size(), 1u);

  EXPECT_TRUE(Including("controller/planner/a.cc", "core/ids.h").empty());
  EXPECT_TRUE(Including("sim/a.cc", "router/dispatch/alias.h").empty());
  EXPECT_TRUE(Including("sim/a.cc", "controller/planner/planner.h").empty());
  EXPECT_TRUE(Including("router/daemon/a.cc", "router/router_machine.h").empty());
  EXPECT_TRUE(Including("worker/agent.cc", "worker/slot.h").empty());
  EXPECT_TRUE(Including("engine/a.cc", "core/check.h").empty());
  EXPECT_TRUE(Including("tests/sim/a_test.cc", "runtime/event_loop.h").empty());
}

TEST(LayersRule, LibrariesStayWhereTheyBelong) {
  EXPECT_EQ(FindingsOf(CheckLayers, "runtime/a.cc", "#include <yaml-cpp/yaml.h>\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckLayers, "router/dispatch/a.cc", "#include \"ringway/v1/job.pb.h\"\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckLayers, "sim/a.cc", "#include <boost/asio/ip/tcp.hpp>\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckLayers, "worker/slot.cc", "#include <grpcpp/grpcpp.h>\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckLayers, "core/a.cc", "#include <gtest/gtest.h>\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckLayers, "controller/planner/a.cc", "#include <lemon/list_graph.h>\n").size(), 1u);

  EXPECT_TRUE(FindingsOf(CheckLayers, "topology/a.cc", "#include <yaml-cpp/yaml.h>\n").empty());
  EXPECT_TRUE(FindingsOf(CheckLayers, "worker/agent.cc", "#include <grpcpp/grpcpp.h>\n").empty());
  EXPECT_TRUE(FindingsOf(CheckLayers, "core/a.cc", "// #include <gtest/gtest.h>\n").empty());
}

TEST(LayersRule, ANewFolderIsPlacedOnPurpose) {
  EXPECT_EQ(FindingsOf(CheckLayers, "billing/a.cc", "int a;\n").size(), 1u);
}

TEST(LayersRule, PrefixesEndAtWords) {
  EXPECT_TRUE(Covers("worker/slot", "worker/slot.h"));
  EXPECT_TRUE(Covers("worker/slot", "worker/slot_view.cc"));
  EXPECT_FALSE(Covers("worker/slot", "worker/slots.h"));
  EXPECT_EQ(LayerOf("controller/planner/planner.h")->prefix, "controller/planner");
  EXPECT_EQ(LayerOf("controller/machine.cc")->prefix, "controller");
}

class ImpureTest : public testing::TestWithParam<const char*> {};

TEST_P(ImpureTest, IsCaughtInPureCodeOnly) {
  const std::string snippet = std::string(GetParam()) + "\n";
  EXPECT_GE(FindingsOf(CheckPurity, "router/dispatch/a.cc", snippet).size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckPurity, "runtime/a.cc", snippet).empty());
  EXPECT_TRUE(FindingsOf(CheckPurity, "router/dispatch/a.cc", "// " + snippet).empty());
  EXPECT_TRUE(
      FindingsOf(CheckPurity, "router/dispatch/a.cc", "auto s = R\"x(" + snippet + ")x\";\n").empty());
}

INSTANTIATE_TEST_SUITE_P(
    Snippets, ImpureTest,
    testing::Values("auto t = absl::Now();", "auto t = std::chrono::steady_clock::now();", "time(nullptr);",
                    "std::mt19937 random(1);", "int x = rand();", "std::cout << x;",
                    "std::ifstream file(path);", "std::mutex mutex;", "std::atomic<int> count;",
                    "throw std::runtime_error(what);", "try { F(); }", "LOG(INFO) << x;",
                    "auto h = absl::Hash<int>()(x);", "std::map<Job*, int> jobs;",
                    "std::set<const Job*> jobs;",
                    "absl::flat_hash_map<int, std::pair<int, int>> m; \nfor (auto& x : m) {}",
                    "std::unordered_set<int> m;\nauto x = m.begin();"));

TEST(PurityRule, HeadersCountToo) {
  EXPECT_EQ(FindingsOf(CheckPurity, "core/a.h", "#include <chrono>\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckPurity, "core/a.h", "#include \"absl/time/clock.h\"\n").size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckPurity, "core/a.h", "#include \"absl/time/time.h\"\n").empty());
}

TEST(PurityRule, LooksIntoTheHeaderForHashContainers) {
  const SourceTree tree = Tree({{"core/a.cc", "void F() {\n  for (int x : ids_) G(x);\n}\n"},
                                {"core/a.h", "absl::flat_hash_set<int> ids_;\n"}});
  EXPECT_EQ(FindingsOf(CheckPurity, tree).size(), 1u);
}

TEST(PurityRule, LookUpInAHashContainerIsFine) {
  EXPECT_TRUE(FindingsOf(CheckPurity, "core/a.cc",
                         "absl::flat_hash_map<int, std::vector<int>> m;\nfor (int x : m[3]) F(x);\nif "
                         "(m.contains(2)) G();\n")
                  .empty());
}

class OrderedFenceTest : public testing::TestWithParam<const char*> {};

TEST_P(OrderedFenceTest, IsCaughtInShellsOnly) {
  const std::string snippet = std::string(GetParam()) + "\n";
  for (const char* shell :
       {"router/daemon/a.cc", "controller/daemon/a.cc", "worker/a.cc", "sim/fleet/routers.cc"}) {
    EXPECT_EQ(FindingsOf(CheckFences, shell, snippet).size(), 1u) << shell;
  }
  for (const char* pure :
       {"router/a.cc", "worker/slot.cc", "core/a.h", "sim/observers/checkers.cc", "tests/router/a.cc"}) {
    EXPECT_TRUE(FindingsOf(CheckFences, pure, snippet).empty()) << pure;
  }
}

INSTANTIATE_TEST_SUITE_P(Snippets, OrderedFenceTest,
                         testing::Values("if (message.epoch() < driver_.machine().epoch_seen_max()) return;",
                                         "if (epoch_ >= other) F();", "bool old = a->fence <= b.fence;",
                                         "if (state.epoch() >= kEpochMax) F();",
                                         "const bool later =\n    hello.incarnation() >\n    last;",
                                         "seen = std::max(seen, welcome.epoch());",
                                         "x = std::max<std::uint64_t>(clock, last->incarnation());"));

TEST(FencesRule, WhatIsNoOrderIsFine) {
  for (const char* fine :
       {"if (request.epoch() != 0) F();", "return status.epoch() == router.epoch();", "if (epoch > 0) F();",
        "std::vector<Fence> fences;", "if (now - UnixEpoch() > Seconds(3)) F();",
        "w = std::max(w, 3 * scenario.epoch_period_s);", "if (lease.fence.stated()) F();",
        "if (EpochCredible(a.epoch(), b.epoch())) F();", "// if (a.epoch() < b.epoch())"}) {
    EXPECT_TRUE(FindingsOf(CheckFences, "router/daemon/a.cc", std::string(fine) + "\n").empty()) << fine;
  }
}

TEST(SizesRule, ClassesOfManyFunctionsAreCaught) {
  std::string inside = "class A {\n";
  std::string outside;
  for (int i = 0; i < 25; ++i) {
    inside += "  int F" + std::to_string(i) + "() const { return 0; }\n";
    outside += "void A::G" + std::to_string(i) + "() {\n}\n";
  }
  inside += "};\n";
  EXPECT_TRUE(FindingsOf(CheckClassSizes, "core/a.cc", inside + outside).empty());
  EXPECT_EQ(FindingsOf(CheckClassSizes, "core/a.cc", inside + outside + "void A::H() {\n}\n").size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckClassSizes, "core/a.cc", inside + outside + "void B::H() {\n}\n").empty());
}

TEST(SizesRule, LongFilesAndFunctionsAreCaught) {
  std::string lines;
  for (int i = 0; i < 69; ++i) lines += "  F();\n";
  EXPECT_EQ(FindingsOf(CheckFunctionSizes, "core/a.cc", "void G() {\n" + lines + "}\n").size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckFunctionSizes, "core/a.cc", "void G() {\n" + lines.substr(7) + "}\n").empty());

  const auto file_of = [](std::size_t count) { return std::string(count, '\n'); };
  // A file of 501 lines breaks its own limit and, alone, that of the median.
  EXPECT_EQ(FindingsOf(CheckFileSizes, "core/a.cc", file_of(501)).size(), 2u);
  EXPECT_EQ(FindingsOf(CheckFileSizes, "router/main.cc", file_of(100)).size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckFileSizes, "router/main.cc", file_of(99)).empty());
  EXPECT_EQ(FindingsOf(CheckFileSizes,
                       Tree({{"a.cc", file_of(10)}, {"b.cc", file_of(200)}, {"c.cc", file_of(201)}}))
                .size(),
            1u);
}

TEST(NotesRule, AHeaderOpensWithANote) {
  const std::string note = "// 1\n// 2\n// 3\n// 4\n";
  EXPECT_EQ(FindingsOf(CheckHeaderNotes, "core/a.h", note + "int a;\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckHeaderNotes, "proto/a.proto", "syntax = \"proto3\";\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckHeaderNotes, "core/a.h", "\n" + note + "// 5\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckHeaderNotes, "tests/core/a.h", "int a;\n").size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckHeaderNotes, "core/a.h", note + "// 5\n").empty());
  EXPECT_TRUE(FindingsOf(CheckHeaderNotes, "tests/core/a.h", "// 1\nint a;\n").empty());
}

TEST(NotesRule, GuardsFollowThePath) {
  const std::string guard = "RINGWAY_CORE_A_H_\n";
  EXPECT_TRUE(FindingsOf(CheckIncludeGuards, "core/a.h", "#ifndef " + guard + "#define " + guard).empty());
  EXPECT_EQ(FindingsOf(CheckIncludeGuards, "core/b.h", "#ifndef " + guard + "#define " + guard).size(), 1u);
}

}  // namespace
}  // namespace ringway::tidy
