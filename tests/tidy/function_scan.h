// Finds the functions of a C++ file by its braces.
//
// Walks the code view (comments and literals blanked) with a stack of open braces. At each '{' the text since
// the last ';', '{' or '}' tells what opens: a namespace, a type, an initializer, or a function body. What is
// inside a body belongs to it: lambdas and local classes are not counted on their own. A function's size is
// that of its text, from the first line of its signature to the closing brace, both included. Its owner is
// the class in whose body it stands, or the one that its name says (`Planner::Solve`).
//
// Known to work on: constructor initializers with braces, trailing return types, operator(), default
// arguments with braces, arrays of tables, gtest macros. Preprocessor lines are skipped; both branches of an
// #if must balance their braces. Complexity: linear. Threads: pure function.
#ifndef RINGWAY_TESTS_TIDY_FUNCTION_SCAN_H_
#define RINGWAY_TESTS_TIDY_FUNCTION_SCAN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace ringway::tidy {

struct Function {
  std::string name;  // as written before its parameter list, for example "Planner::Solve"
  std::size_t first_line = 0;
  std::size_t lines = 0;
  std::string owner = {};  // the innermost class, without what encloses it; empty: none
};

std::vector<Function> FindFunctions(const SourceFile& file);

}  // namespace ringway::tidy

#endif  // RINGWAY_TESTS_TIDY_FUNCTION_SCAN_H_
