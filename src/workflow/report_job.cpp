#include "workflow/report_job.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "model/error.h"
#include "view/embedding.h"
#include "view/page.h"

// Details of episodes and items are packed in blocks, each unpacked by the page when something in it is opened. How
// much of the texts fits is found by trying: a sample first, then everything, with ever less text.

namespace memuse::workflow {
namespace {

using report::Json;

/// Bytes of JSON in a block: enough for a good ratio, little enough to be unpacked at once.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
/// What a block that is being filled may come to, packed.
constexpr std::size_t kOpenBlockBytes = kBlockBytes / 3;
/// Bytes kept of each text, tried one after the other; the first stands for all.
constexpr std::array<std::optional<std::size_t>, 10> kTextLimits{std::nullopt, 16'000, 6'000, 2'500, 1'000,
                                                                 400,          150,    60,    25,    0};
/// Episodes of the sample that tells where to begin.
constexpr std::size_t kSampled = 64;

std::string printed(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Collects objects and packs them.
class BlockPacker {
 public:
  /// Takes in an object; returns the block that it is in.
  std::uint32_t add(const std::string& json) {
    if (!open_.empty() && open_.size() + json.size() > kBlockBytes) close();
    open_ += open_.empty() ? "[" : ",";
    open_ += json;
    return static_cast<std::uint32_t>(blocks_.size());
  }

  void close() {
    if (open_.empty()) return;
    blocks_.push_back(view::packed(open_ + "]"));
    bytes_ += blocks_.back().size() + kElementBytes;
    open_.clear();
  }

  /// Of the blocks that are closed.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<std::string>& blocks() const { return blocks_; }

 private:
  static constexpr std::uint64_t kElementBytes = 80;

  std::string open_;
  std::vector<std::string> blocks_;
  std::uint64_t bytes_ = 0;
};

/// Details of a report as they go into the page.
struct PackedDetails {
  BlockPacker packer;
  std::vector<std::optional<std::uint32_t>> episodes;  ///< block by place in the index
  std::vector<std::optional<std::uint32_t>> items;
  std::uint64_t sources_missing = 0;
  bool complete = true;  ///< all that was wanted is in it
  std::optional<std::size_t> text_limit;
};

struct Interrupted {};

class ReportWriter {
 public:
  ReportWriter(const ReportOptions& options, const ReportSize& size, Progress& progress, const std::atomic<bool>& stop)
      : data_(options), size_(size), progress_(progress), stop_(stop) {}

  ReportSummary write(std::ostream& out) {
    study_ = view::script_safe(printed(data_.study_json()));
    const PackedDetails details = packed_details();
    return put_page(details, out);
  }

 private:
  /// Bytes of the page that do not depend on details. Block numbers are counted as five digits.
  [[nodiscard]] std::uint64_t fixed_bytes() const {
    const view::Page& page = view::report_page();
    std::uint64_t bytes = page.before_policy.size() + page.before_data.size() + page.after_data.size() + 2000;
    bytes += study_.size();
    bytes += view::script_safe(printed(data_.index().episodes_json({}))).size();
    bytes += view::script_safe(printed(data_.index().items_json({}))).size();
    return bytes + 6 * (data_.index().episodes() + data_.index().items().size());
  }

  PackedDetails packed_details() {
    const std::uint64_t fixed = fixed_bytes();
    const std::uint64_t room = size_.most_bytes > fixed ? size_.most_bytes - fixed : 0;
    std::vector<std::optional<std::size_t>> limits(kTextLimits.begin(), kTextLimits.end());
    if (size_.text_limit) {
      limits = {size_.text_limit};
    } else {
      limits.erase(limits.begin(), limits.begin() + first_level(room));
    }
    for (const std::optional<std::size_t> limit : limits) {
      PackedDetails details = pack(limit, room, false);
      if (details.complete) return details;
    }
    return pack(limits.back(), room, true);
  }

  /// The first level at which a sample of the episodes, taken for all, fits.
  std::ptrdiff_t first_level(std::uint64_t room) {
    const std::size_t all = data_.index().episodes();
    const std::size_t every = all / kSampled + 1;
    for (std::size_t level = 0; level < kTextLimits.size(); ++level) {
      BlockPacker packer;
      std::size_t sampled = 0;
      for (std::size_t i = every / 2; i < all; i += every, ++sampled) {
        check_stop();
        packer.add(printed(data_.episode_json(data_.index().uids()[i], kTextLimits[level])));
      }
      packer.close();
      if (sampled == 0 || packer.bytes() * all / sampled <= room) return static_cast<std::ptrdiff_t>(level);
    }
    return static_cast<std::ptrdiff_t>(kTextLimits.size()) - 1;
  }

  /// Packs details with this much text until the room is used up, in the order of the study or, with `prefer`, those of
  /// harm and benefit first.
  PackedDetails pack(std::optional<std::size_t> limit, std::uint64_t room, bool prefer) {
    PackedDetails details;
    details.text_limit = limit;
    details.episodes.resize(data_.index().episodes());
    details.items.resize(data_.index().items().size());
    pack_items(room / 4, details);
    std::vector<std::size_t> order(data_.index().episodes());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (prefer) {
      std::stable_sort(order.begin(), order.end(),
                       [this](std::size_t a, std::size_t b) { return data_.index().rank(a) < data_.index().rank(b); });
    }
    progress_.begin("report", "episodes", order.size());
    for (const std::size_t place : order) {
      check_stop();
      if (details.packer.bytes() + kOpenBlockBytes > room) {
        details.complete = false;
        break;
      }
      const Json episode = data_.episode_json(data_.index().uids()[place], limit);
      if (!episode.at("source_missing").is_null()) ++details.sources_missing;
      details.episodes[place] = details.packer.add(printed(episode));
      progress_.advance(1);
    }
    progress_.end();
    details.packer.close();
    if (details.packer.bytes() > room) details.complete = false;
    return details;
  }

  /// Items by what came of them: harm, benefit, use, spans.
  [[nodiscard]] std::vector<std::size_t> items_by_interest() const {
    std::vector<report::ItemCounts> counts;
    for (const auto& [key, one] : data_.index().items()) counts.push_back(one);
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto weight = [&counts](std::size_t i) {
      return std::tuple(counts[i].harmed, counts[i].improved, counts[i].acted_on, counts[i].spans);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&weight](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    if (order.size() > size_.most_items) order.resize(size_.most_items);
    return order;
  }

  void pack_items(std::uint64_t room, PackedDetails& details) {
    std::vector<report::ItemKey> keys;
    for (const auto& [key, counts] : data_.index().items()) keys.push_back(key);
    if (packed_items_.empty()) {
      for (const std::size_t place : items_by_interest()) {
        check_stop();
        packed_items_.emplace_back(place, printed(data_.item_json(keys[place])));
      }
    }
    for (const auto& [place, json] : packed_items_) {
      if (details.packer.bytes() + kOpenBlockBytes > room) break;
      details.items[place] = details.packer.add(json);
    }
    details.packer.close();
  }

  void check_stop() const {
    if (stop_.load()) throw Interrupted{};
  }

  ReportSummary put_page(const PackedDetails& details, std::ostream& out) const {
    const view::Page& page = view::report_page();
    std::uint64_t bytes = 0;
    const auto put = [&](std::string_view text) {
      bytes += text.size();
      out << text;
    };
    const auto put_data = [&](std::string_view name, std::string_view json) {
      put("<script type=\"application/json\" id=\"memuse-");
      put(name);
      put("\">");
      put(json);
      put("</script>\n");
    };
    put(page.before_policy);
    put(view::policy_element(page));
    put(page.before_data);
    put_data("study", study_);
    put_data("episodes", view::script_safe(printed(data_.index().episodes_json(details.episodes))));
    put_data("items", view::script_safe(printed(data_.index().items_json(details.items))));
    put_data("texts", printed({{"limit", report::or_null(details.text_limit)}}));
    for (std::size_t i = 0; i < details.packer.blocks().size(); ++i) {
      put("<script type=\"text/plain\" id=\"memuse-block-" + std::to_string(i) + "\">");
      put(details.packer.blocks()[i]);
      put("</script>\n");
    }
    put(page.after_data);
    return summary(details, bytes);
  }

  [[nodiscard]] ReportSummary summary(const PackedDetails& details, std::uint64_t bytes) const {
    const auto there = [](const auto& blocks) {
      return static_cast<std::uint64_t>(
          std::count_if(blocks.begin(), blocks.end(), [](const auto& block) { return block.has_value(); }));
    };
    ReportSummary summary;
    summary.bytes = bytes;
    summary.episodes = details.episodes.size();
    summary.episodes_with_details = there(details.episodes);
    summary.sources_missing = details.sources_missing;
    summary.items = details.items.size();
    summary.items_with_lineage = there(details.items);
    summary.text_limit = details.text_limit;
    return summary;
  }

  ReportData data_;
  ReportSize size_;
  Progress& progress_;
  const std::atomic<bool>& stop_;
  std::string study_;
  std::vector<std::pair<std::size_t, std::string>> packed_items_;  // their JSON, most interesting first
};

view::ViewAnswer json_answer(const Json& json) {
  return {true, printed(json)};
}

view::ViewAnswer answer(const ReportData& data, const view::ViewRequest& request) {
  if (request.path == "/api/study") return json_answer(data.study_json());
  if (request.path == "/api/episodes") return json_answer(data.index().episodes_json({}));
  if (request.path == "/api/items") return json_answer(data.index().items_json({}));
  if (request.path == "/api/episode") return json_answer(data.episode_json(request.value("uid"), std::nullopt));
  if (request.path == "/api/item") {
    return json_answer(data.item_json(
        {request.value("configuration"), request.value("run"), request.value("store"), request.value("item")}));
  }
  return {false, "There is no such data."};
}

}  // namespace

ReportSummary write_report(const ReportOptions& options, const ReportSize& size, std::ostream& out, Progress& progress,
                           const std::atomic<bool>& stop) {
  try {
    return ReportWriter(options, size, progress, stop).write(out);
  } catch (const Interrupted&) {
    ReportSummary summary;
    summary.interrupted = true;
    return summary;
  }
}

view::Server::Api report_api(const ReportOptions& options) {
  struct Shared {
    explicit Shared(const ReportOptions& given) : data(given) {}
    std::mutex mutex;
    ReportData data;
  };
  auto shared = std::make_shared<Shared>(options);
  return [shared](const view::ViewRequest& request) -> view::ViewAnswer {
    const std::lock_guard lock(shared->mutex);
    try {
      return answer(shared->data, request);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      return {false, error.what()};
    }
  };
}

}  // namespace memuse::workflow
