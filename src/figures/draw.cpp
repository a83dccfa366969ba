#include "figures/draw.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "figures/child_process.h"
#include "figures/figure_files.h"
#include "model/error.h"
#include "model/text.h"

namespace memuse::figures {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kPictures{".pdf", ".svg", ".png"};

[[noreturn]] void fail_to_write(const fs::path& path, const std::error_code& error) {
  throw Error(ExitCode::environment, fmt::format("cannot write {}: {}", printable(path.string()), error.message()));
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail_to_write(path, std::make_error_code(std::errc::io_error));
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A folder beside the figures in which gnuplot works, so that a picture appears whole or not at all.
class Workshop {
 public:
  Workshop(const fs::path& folder, const std::string& name)
      : path_(folder / fmt::format(".{}.{}.tmp", name, ::getpid())) {
    std::error_code error;
    fs::remove_all(path_, error);
    fs::create_directories(path_, error);
    if (error) fail_to_write(path_, error);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The PDF writer notes the time. Its digits are replaced one by one, so that no offset in the file changes.
void remove_date(const fs::path& pdf) {
  static constexpr std::string_view kKey = "/CreationDate (D:";
  static constexpr std::string_view kEpoch = "19700101000000";
  std::string bytes = read_file(pdf);
  const std::size_t place = bytes.find(kKey);
  if (place == std::string::npos || place + kKey.size() + kEpoch.size() > bytes.size()) return;
  bytes.replace(place + kKey.size(), kEpoch.size(), kEpoch);
  write_file(pdf, bytes);
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail_to_write(to, error);
}

bool is_whole(const fs::path& folder, const std::string& name) {
  for (const std::string_view suffix : kPictures) {
    std::error_code error;
    const auto size = fs::file_size(folder / (name + std::string(suffix)), error);
    if (error || size == 0) return false;
  }
  return true;
}

std::string first_line(const std::string& text) {
  const std::string_view line = trimmed(text);
  return printable(line.substr(0, line.find('\n')));
}

/// Empty when the pictures are there; else why they are not.
std::string draw_in(const fs::path& folder, const std::string& name, const DrawOptions& options) {
  // UTC: the time zone is part of the date in the PDF. No start-up files, no search path of the user's.
  const std::vector<std::string> environment{"TZ=UTC", "LC_ALL=C.UTF-8", "SOURCE_DATE_EPOCH=0",
                                             "GNUPLOT_LIB=", "GNUTERM=dumb"};
  const ProcessResult result =
      run_process({options.gnuplot, "--default-settings", name + ".gp"}, folder, environment, options.time_limit);
  if (result.outcome == ProcessResult::Outcome::not_found) {
    return fmt::format(
        "{} was not found: install it (Debian: gnuplot-nox), then run `gnuplot --default-settings {}.gp` "
        "in the folder, or memuse again",
        printable(options.gnuplot), name);
  }
  if (result.outcome == ProcessResult::Outcome::timed_out) {
    return fmt::format("{} was stopped after {} s", printable(options.gnuplot),
                       static_cast<double>(options.time_limit.count()) / 1000.0);
  }
  if (result.exit_code != 0 || !is_whole(folder, name)) {
    return fmt::format("{} failed (exit code {}): {}", printable(options.gnuplot), result.exit_code,
                       first_line(result.errors));
  }
  remove_date(folder / (name + ".pdf"));
  return {};
}

}  // namespace

DrawnFigure write_figure(const fs::path& folder, const Figure& figure, const DrawOptions& options) {
  FigureFiles files = compose(figure);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder, error);
  const Workshop workshop(folder, figure.name);
  write_file(workshop.path() / (figure.name + ".csv"), files.data);
  write_file(workshop.path() / (figure.name + ".gp"), files.script);
  DrawnFigure result;
  result.name = figure.name;
  result.reason = draw_in(workshop.path(), figure.name, options);
  result.drawn = result.reason.empty();
  result.remarks = std::move(files.remarks);
  for (const std::string_view suffix : kPictures) {
    const std::string file = figure.name + std::string(suffix);
    if (result.drawn) {
      move(workshop.path() / file, folder / file);
    } else {
      fs::remove(folder / file, error);
    }
  }
  move(workshop.path() / (figure.name + ".csv"), folder / (figure.name + ".csv"));
  move(workshop.path() / (figure.name + ".gp"), folder / (figure.name + ".gp"));
  return result;
}

}  // namespace memuse::figures
