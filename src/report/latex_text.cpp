#include "report/latex_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "figures/text_metrics.h"
#include "model/text.h"

namespace memuse::report {
namespace {

/// How much wider characters are in the small sizes of Computer Modern than in Helvetica, whose metrics are at hand.
struct Wider {
  std::string_view characters;
  double em;
};
constexpr std::array<Wider, 6> kWider{{{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0.08},
                                       {"iljtfr", 0.08},
                                       {"bdhkmnpquvw", 0.04},
                                       {" ", 0.06},
                                       {".,:;", 0.02},
                                       {"<>=+&^~", 0.26}}};
constexpr double kMinus = 0.5;      // em that a minus is wider than a hyphen
constexpr double kLongName = 6.0;   // em; longer words may be broken …
constexpr double kWordPiece = 4.0;  // … into pieces of this width …
constexpr double kLongWord =
    14.0;  // … but words of letters only, which LaTeX hyphenates, when they are as long as this
constexpr std::string_view kBreak = "\\allowbreak{}";
constexpr std::size_t kMostPieces = 100000;

void replace_in_latex(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    out.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  if (begin > 0) text = out.append(text, begin, std::string::npos);
}

/// Signs that engines without Unicode fonts do not know.
void replace_signs(std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kSigns{{{"±", "$\\pm$"},
                                                                                         {"≥", "$\\geq$"},
                                                                                         {"≤", "$\\leq$"},
                                                                                         {"≈", "$\\approx$"},
                                                                                         {"×", "$\\times$"},
                                                                                         {"−", "$-$"},
                                                                                         {"→", "$\\rightarrow$"},
                                                                                         {"Δ", "$\\Delta$"},
                                                                                         {"κ", "$\\kappa$"},
                                                                                         {"α", "$\\alpha$"},
                                                                                         {"—", "---"},
                                                                                         {"…", "\\dots{}"}}};
  for (const auto& [sign, command] : kSigns) replace_in_latex(text, sign, command);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        out += c;
        break;
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '"':
        out += "\\symbol{34}";  // active in some languages
        break;
      case '`':
        out += "\\textasciigrave{}";
        break;
      case '-':  // no dashes out of hyphens
        if (!out.empty() && out.back() == '-') out += "{}";
        out += c;
        break;
      case '[':  // would be read as an argument of the line break before it
      case ']':
      case '*':
        out += '{';
        out += c;
        out += '}';
        break;
      default:
        out += c;
    }
  }
  replace_signs(out);
  return out;
}

/// True when a line must not end between the two: inside "12.3 ± 0.4" and "[10.1, 14.5]".
bool stay_together(std::string_view left, std::string_view right) {
  if (left == "±" || right == "±") return true;
  return left.size() > 1 && left.front() == '[' && left.back() == ',' && !right.empty() && right.back() == ']';
}

/// What stands between spaces at which a line may end.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::string_view last;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!words.empty() && stay_together(last, word)) {
      const auto start = static_cast<std::size_t>(words.back().data() - text.data());
      words.back() = text.substr(start, end - start);
    } else {
      words.push_back(word);
    }
    last = word;
    begin = end + 1;
  }
  return words;
}

/// The word, or the pieces that a long one may be broken into.
std::vector<std::string> pieces_of(std::string_view word) {
  const bool together = word.find(' ') != std::string_view::npos;
  const bool letters = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ',' || c == '.' || c == ':' || c == ';';
  });
  if (together || latex_width(word) <= (letters ? kLongWord : kLongName)) return {std::string(word)};
  return figures::wrap_text(word, 1.0, kWordPiece, kMostPieces);
}

}  // namespace

double latex_width(std::string_view text) {
  double width = figures::text_width(text, 1.0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    for (const Wider& wider : kWider) {
      if (wider.characters.find(text[i]) != std::string_view::npos) width += wider.em;
    }
    if (text[i] == '-' && next >= '0' && next <= '9') width += kMinus;
  }
  return width;
}

double latex_unbreakable_width(std::string_view text) {
  const std::string safe = printable(text);
  double widest = 0.0;
  for (const std::string_view word : words_of(safe)) {
    for (const std::string& piece : pieces_of(word)) widest = std::max(widest, latex_width(piece));
  }
  return widest;
}

std::string latex_text(std::string_view text) {
  std::string out;
  const std::string safe = printable(text);
  bool first_word = true;
  for (const std::string_view word : words_of(safe)) {
    if (!first_word) out += ' ';
    first_word = false;
    bool first_piece = true;
    for (const std::string& piece : pieces_of(word)) {
      if (!first_piece) out += kBreak;
      first_piece = false;
      std::string tied = escaped(piece);
      std::replace(tied.begin(), tied.end(), ' ', '~');
      out += tied;
    }
  }
  return out;
}

std::vector<std::string> latex_lines(std::string_view text, double width) {
  const std::string safe = printable(text);
  std::vector<std::string> lines(1);
  for (const std::string_view word : words_of(safe)) {
    const bool fits = latex_width(word) <= width;
    // Characters are up to a fifth wider than the metrics say.
    const std::vector<std::string> pieces =
        fits ? std::vector<std::string>{std::string(word)} : figures::wrap_text(word, 1.0, width * 0.8, kMostPieces);
    for (const std::string& piece : pieces) {
      const std::string longer =
          lines.back().empty() ? piece : lines.back() + (&piece == &pieces.front() ? " " : "") + piece;
      if (latex_width(longer) <= width || lines.back().empty()) {
        lines.back() = longer;
      } else {
        lines.push_back(piece);
      }
    }
  }
  for (std::string& line : lines) line = escaped(line);
  return lines;
}

}  // namespace memuse::report
