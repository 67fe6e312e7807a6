// A terminal taken over for a while: the alternate screen, no cursor, keys one by one.
//
// The destructor gives everything back, so it must run: signals that end a program are to be read with
// demo::Interrupt, not left to their default. Without a terminal on standard input there are no keys. Size is
// asked anew for each picture, which is all that a resize needs. Threads: one owner.
#ifndef RINGWAY_CLI_TOP_TERMINAL_H_
#define RINGWAY_CLI_TOP_TERMINAL_H_

#include <termios.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/demo/interrupt.h"
#include "cli/top/view.h"
#include "core/time.h"

namespace ringway::top {

class Terminal {
 public:
  explicit Terminal(std::ostream& out);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Columns and lines now; 80 x 24 when it does not say.
  Screen Size(bool colour) const;
  // Over the last picture, without a flicker.
  void Draw(const std::vector<std::string>& lines);
  // The next key, or nothing within `limit`.
  std::optional<char> Key(Duration limit);

 private:
  std::ostream& out_;
  std::optional<termios> before_;
};

// Waits for `interval`, at most until a key is pressed or somebody interrupts. False: it is time to stop (q,
// Ctrl-C).
bool WaitForNext(Terminal* terminal, demo::Interrupt& interrupt, Duration interval);

}  // namespace ringway::top

#endif  // RINGWAY_CLI_TOP_TERMINAL_H_
