#include "cli/top/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "absl/time/clock.h"

namespace ringway::top {
namespace {

constexpr int kWidthMax = 400;
constexpr int kHeightMax = 200;
// How long a key may be waited for before the signals are looked at.
constexpr Duration kLookAround = Milliseconds(100);

}  // namespace

Terminal::Terminal(std::ostream& out) : out_(out) {
  termios settings;
  if (isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &settings) == 0) {
    before_ = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  }
  out_ << "\x1b[?1049h\x1b[?25l" << std::flush;
}

Terminal::~Terminal() {
  out_ << "\x1b[?25h\x1b[?1049l" << std::flush;
  if (before_) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

Screen Terminal::Size(bool colour) const {
  Screen screen{.colour = colour};
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    screen.width = std::min<int>(size.ws_col, kWidthMax);
    screen.height = std::min<int>(size.ws_row, kHeightMax);
  }
  return screen;
}

void Terminal::Draw(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += lines[i] + "\x1b[K";
  }
  out_ << text << "\x1b[J" << std::flush;
}

std::optional<char> Terminal::Key(Duration limit) {
  pollfd input = {.fd = before_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, static_cast<int>(ToInt64Milliseconds(limit))) <= 0) return std::nullopt;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return 'q';  // the terminal has gone
  return key;
}

bool WaitForNext(Terminal* terminal, demo::Interrupt& interrupt, Duration interval) {
  const Time until = absl::Now() + interval;
  for (Time now = absl::Now(); now < until; now = absl::Now()) {
    if (interrupt.Came()) return false;
    const Duration slice = std::min(kLookAround, until - now);
    if (terminal == nullptr) {
      absl::SleepFor(slice);
    } else if (const std::optional<char> key = terminal->Key(slice)) {
      if (*key == 'q' || *key == 'Q') return false;
      return true;  // any other key: a new picture now
    }
  }
  return !interrupt.Came();
}

}  // namespace ringway::top
