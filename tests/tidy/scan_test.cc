#include <gtest/gtest.h>

#include "tests/tidy/code_view.h"
#include "tests/tidy/function_scan.h"
#include "tests/tidy/snippet.h"

namespace ringway::tidy {
namespace {

TEST(CodeViewTest, BlanksWhatIsNotCode) {
  EXPECT_EQ(BlankCommentsAndLiterals("a /* b */ c // d\ne"), "a         c     \ne");
  EXPECT_EQ(BlankCommentsAndLiterals("f(\"x\\\"y\", 'z', '\\'')"), "f(      ,    ,     )");
  EXPECT_EQ(BlankCommentsAndLiterals("R\"t(a\")b)t\" c"), "R           c");
  EXPECT_EQ(BlankCommentsAndLiterals("1'000'000 + 2"), "1'000'000 + 2");
  EXPECT_EQ(BlankCommentsAndLiterals("\"// not a comment\" x"), "                   x");
}

std::vector<Function> Scanned(std::string_view text) { return FindFunctions(MakeFile("core/x.cc", text)); }

std::string Names(std::string_view text) {
  std::string names;
  for (const Function& function : Scanned(text))
    names += function.name + ":" + std::to_string(function.lines) + " ";
  return names;
}

TEST(FunctionScanTest, CountsFromSignatureToBrace) {
  const auto functions =
      Scanned("namespace a {\n\nint F(int x,\n      int y) {\n  return x;\n}\n}  // namespace a\n");
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "F");
  EXPECT_EQ(functions[0].first_line, 3u);
  EXPECT_EQ(functions[0].lines, 4u);
}

TEST(FunctionScanTest, SeesMembersAndOperators) {
  EXPECT_EQ(Names("struct A : B<int> {\n public:\n  A() : x_{1}, y_(2) {\n    F();\n  }\n"
                  "  bool operator()(int a) const {\n    return a > 1;\n  }\n  int x_{3};\n};\n"),
            "A:3 operator:3 ");
  EXPECT_EQ(Names("A::A(int x)\n    : x_{x},\n      y_{{1, 2}} {\n}\nvoid B::G() const noexcept {\n}\n"),
            "A::A:4 B::G:2 ");
  EXPECT_EQ(Names("auto F() -> std::vector<int> {\n}\ntemplate <class T, class U>\nT Max(T a, U b) {\n}\n"),
            "F:2 Max:3 ");
}

TEST(FunctionScanTest, LooksPastInitializersAndLambdas) {
  EXPECT_EQ(Names("constexpr Row kRows[] = {\n  {F(1), 2},\n  {F(2), 3},\n};\nvoid G(V v = {}) {\n}\n"),
            "G:2 ");
  EXPECT_EQ(
      Names("void F() {\n  auto g = [&](int x) {\n    if (x) { return; }\n  };\n  struct L { int a; };\n}\n"),
      "F:6 ");
  EXPECT_EQ(
      Names("enum class E { kA, kB };\nstd::function<int(int)> f{G};\nextern \"C\" int H(char c) {\n}\n"),
      "H:2 ");
  EXPECT_EQ(Names("#define M(x) do { x; } while \\\n  (0) {\nvoid F() {\n}\n"), "F:2 ");
}

TEST(FunctionScanTest, KnowsTheClassOfAFunction) {
  const auto owners = [](std::string_view text) {
    std::string all;
    for (const Function& function : Scanned(text)) all += function.owner + ":" + function.name + " ";
    return all;
  };
  EXPECT_EQ(
      owners("namespace n {\nclass A : public B {\n  int F() {\n  }\n  struct C {\n    void G() {\n    }\n"
             "  };\n  int H() {\n  }\n};\nvoid I() {\n}\nvoid A::J() {\n}\nvoid A::C::K() {\n}\n}\n"),
      "A:F C:G A:H :I A:A::J C:A::C::K ");
  EXPECT_EQ(
      owners("template <class T>\nstruct alignas(64) A<T*> {\n  A() : x_{1} {\n  }\n  int x_{2};\n};\n"),
      "A:A ");
}

TEST(FunctionScanTest, BracesInTextDoNotCount) {
  EXPECT_EQ(Names("void F() {\n  G(\"}}}\");  // }\n  H('}');\n}\nvoid I() {\n}\n"), "F:4 I:2 ");
}

}  // namespace
}  // namespace ringway::tidy
