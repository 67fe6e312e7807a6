// Which table an operator means: EPOCH.VERSION, as status and history print it, or a moment (when.h).
//
// The validator reads the word into a message while the command line is parsed, so that a misspelt one is a
// mistake of the command line (exit code 2) with what was found and what is allowed.
//
// Threads: one owner.
#ifndef RINGWAY_CLI_TABLE_NAME_H_
#define RINGWAY_CLI_TABLE_NAME_H_

#include <functional>
#include <string>

#include "ringway/v1/admin.pb.h"
#include "runtime/flags.h"

namespace ringway::cli {

// Empty, or what is wrong with the text.
std::string ReadTableName(const std::string& text, v1::TableName& name);

flags::Check TableNameInto(std::function<v1::TableName&()> name);

}  // namespace ringway::cli

#endif  // RINGWAY_CLI_TABLE_NAME_H_
