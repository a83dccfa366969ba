#include "report/marked_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "model/folded_text.h"
#include "model/text.h"

namespace memuse::report {
namespace {

using PageJson = nlohmann::ordered_json;

/// Marks that lie on one part; a hostile trace could have any number.
constexpr std::size_t kMostMarksOfAPart = 32;

bool continues_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// The border of a character at or before `at`. Invalid UTF-8 must not make this long.
std::size_t border_before(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  for (int i = 0; i < 3 && at > 0 && continues_character(text, at); ++i) --at;
  return at;
}

/// The range as far as it lies in the text, at borders of characters.
ByteRange clamped(std::string_view text, std::uint64_t begin, std::uint64_t end) {
  const std::size_t from = border_before(text, static_cast<std::size_t>(std::min<std::uint64_t>(begin, text.size())));
  std::size_t to = static_cast<std::size_t>(std::min<std::uint64_t>(end, text.size()));
  for (int i = 0; i < 3 && continues_character(text, to); ++i) ++to;
  return {from, std::max(from, to)};
}

/// Ranges that are kept of a text with a limit, ascending, apart.
std::vector<ByteRange> kept_ranges(std::string_view text, const std::vector<TextMark>& marks, std::size_t limit) {
  std::vector<ByteRange> kept;
  const std::size_t head = limit - limit / 3;
  kept.push_back(clamped(text, 0, head));
  kept.push_back(clamped(text, text.size() - std::min(text.size(), limit / 3), text.size()));
  for (const TextMark& mark : marks) {
    if (mark.kind == MarkKind::memory) {
      kept.push_back(clamped(text, mark.range.begin, std::min(mark.range.end, mark.range.begin + limit)));
    } else {
      const std::uint64_t before = std::min<std::uint64_t>(mark.range.begin, kKeptAroundQuotes);
      kept.push_back(clamped(text, mark.range.begin - before, mark.range.end + kKeptAroundQuotes));
    }
  }
  std::sort(kept.begin(), kept.end(), [](const ByteRange& a, const ByteRange& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::vector<ByteRange> joined;
  for (const ByteRange& range : kept) {
    if (range.begin == range.end) continue;
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

/// Numbers of the marks of each kind that lie on a part.
struct ActiveMarks {
  std::multiset<std::uint32_t> of_kind[3];

  std::multiset<std::uint32_t>& of(MarkKind kind) { return of_kind[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool none() const { return of_kind[0].empty() && of_kind[1].empty() && of_kind[2].empty(); }
};

void put_numbers(const char* key, const std::multiset<std::uint32_t>& numbers, PageJson& part) {
  if (numbers.empty()) return;
  PageJson list = PageJson::array();
  for (auto at = numbers.begin(); at != numbers.end() && list.size() < kMostMarksOfAPart;
       at = numbers.upper_bound(*at)) {
    list.push_back(*at);
  }
  part[key] = std::move(list);
}

/// Cuts the text at the ends of marks and of kept ranges.
class PartsWriter {
 public:
  PartsWriter(std::string_view text, const std::vector<TextMark>& marks) : text_(text) {
    for (const TextMark& mark : marks) {
      const ByteRange range = clamped(text, mark.range.begin, mark.range.end);
      if (range.begin == range.end) continue;
      edges_.push_back({range.begin, true, mark.kind, mark.number});
      edges_.push_back({range.end, false, mark.kind, mark.number});
    }
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  }

  void keep(const ByteRange& range) {
    if (range.begin > at_) parts_.push_back({{"cut", range.begin - at_}});
    pass_to(range.begin, false);
    pass_to(range.end, true);
    at_ = range.end;
  }

  PageJson finish() {
    if (at_ < text_.size()) parts_.push_back({{"cut", text_.size() - at_}});
    return std::move(parts_);
  }

 private:
  struct Edge {
    std::uint64_t at;
    bool opens;
    MarkKind kind;
    std::uint32_t number;
  };

  void pass_to(std::uint64_t end, bool write) {
    std::uint64_t from = written_;
    while (next_ < edges_.size() && edges_[next_].at <= end) {
      const Edge& edge = edges_[next_];
      if (edge.at == end && edge.opens) break;
      if (write && edge.at > from) put(from, edge.at);
      from = std::max(from, edge.at);
      auto& numbers = active_.of(edge.kind);
      if (edge.opens) {
        numbers.insert(edge.number);
      } else if (const auto open = numbers.find(edge.number); open != numbers.end()) {
        numbers.erase(open);
      }
      ++next_;
    }
    if (write && end > from) put(from, end);
    written_ = end;
  }

  void put(std::uint64_t begin, std::uint64_t end) {
    const std::string_view piece = text_.substr(begin, end - begin);
    if (active_.none()) {
      parts_.push_back(piece);
      return;
    }
    PageJson part{{"t", piece}};
    put_numbers("m", active_.of(MarkKind::memory), part);
    put_numbers("q", active_.of(MarkKind::quote), part);
    put_numbers("v", active_.of(MarkKind::value), part);
    parts_.push_back(std::move(part));
  }

  std::string_view text_;
  std::vector<Edge> edges_;
  std::size_t next_ = 0;
  ActiveMarks active_;
  std::uint64_t at_ = 0;       // end of the last kept range
  std::uint64_t written_ = 0;  // where the last pass ended
  PageJson parts_ = PageJson::array();
};

}  // namespace

nlohmann::ordered_json parts_json(std::string_view text, const std::vector<TextMark>& marks,
                                  std::optional<std::size_t> limit) {
  PartsWriter writer(text, marks);
  if (!limit || text.size() <= *limit) {
    if (!text.empty()) writer.keep({0, text.size()});
  } else {
    for (const ByteRange& range : kept_ranges(text, marks, *limit)) writer.keep(range);
  }
  return writer.finish();
}

std::optional<ByteRange> find_quote(std::string_view text, std::string_view quote) {
  if (is_blank(quote)) return std::nullopt;
  if (const std::size_t at = find_text(text, quote); at != std::string_view::npos) {
    return ByteRange{at, at + quote.size()};
  }
  const std::string wanted = normalise_text(quote);
  const FoldedText folded(text);
  const std::size_t at = find_text(folded.text(), wanted);
  if (at == std::string_view::npos) return std::nullopt;
  return folded.given_range({at, at + wanted.size()});
}

}  // namespace memuse::report
