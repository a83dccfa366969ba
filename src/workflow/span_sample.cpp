#include "workflow/span_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "stats/random.h"
#include "store/judged_spans.h"

namespace memuse::workflow {
namespace {

/// Products of two numbers of spans must fit 64 bits.
constexpr std::uint64_t kMostSpans = std::numeric_limits<std::uint32_t>::max();

/// A stratum while draws are allocated.
struct Share {
  std::uint64_t population = 0;
  std::uint64_t draws = 0;
};

/// One draw for each of the `size` largest strata.
void draw_from_largest(std::vector<Share>& shares, std::uint64_t size) {
  std::vector<std::size_t> order(shares.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a].population > shares[b].population; });
  for (std::size_t i = 0; i < size; ++i) shares[order[i]].draws = 1;
}

/// Hamilton's method: whole parts of the quotas, then one more for the largest remainders.
void draw_in_proportion(std::vector<Share*> shares, std::uint64_t size) {
  std::uint64_t population = 0;
  for (const Share* share : shares) population += share->population;
  std::uint64_t left = size;
  for (Share* share : shares) {
    share->draws = size * share->population / population;
    left -= share->draws;
  }
  std::stable_sort(shares.begin(), shares.end(), [&](const Share* a, const Share* b) {
    return size * a->population % population > size * b->population % population;
  });
  for (std::size_t i = 0; i < left; ++i) ++shares[i]->draws;
}

/// At least one draw for each stratum; needs `size` of at least the number of strata and at most all spans.
void draw_from_each(std::vector<Share>& shares, std::uint64_t size) {
  std::vector<Share*> rest;
  std::uint64_t population = 0;
  for (Share& share : shares) {
    rest.push_back(&share);
    population += share.population;
  }
  // Giving a small stratum its one draw leaves fewer for the others, which may bring another below one.
  for (bool settled = false; !settled;) {
    const auto small = std::partition(rest.begin(), rest.end(), [&, size, population](const Share* share) {
      return size * share->population >= population;
    });
    settled = small == rest.end();
    for (auto share = small; share != rest.end(); ++share) {
      (*share)->draws = 1;
      population -= (*share)->population;
      --size;
    }
    rest.erase(small, rest.end());
  }
  // `partition` keeps no order, and ties go by name.
  std::sort(rest.begin(), rest.end());
  if (!rest.empty()) draw_in_proportion(std::move(rest), size);
}

std::vector<Share> allocate(const SampleFrame& frame, std::uint64_t size) {
  std::vector<Share> shares;
  for (const auto& [name, candidates] : frame.strata()) shares.push_back({candidates.size(), 0});
  if (size < shares.size()) {
    draw_from_largest(shares, size);
  } else {
    draw_from_each(shares, size);
  }
  return shares;
}

/// The first `draws` places of a random order of the candidates.
void draw_from_stratum(const SampleFrame& frame, const std::string& stratum,
                       std::vector<SampleFrame::Candidate> candidates, std::uint64_t draws, std::uint64_t seed,
                       std::vector<SampledSpan>& spans) {
  std::sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    return std::tie(frame.uid(a), a.span) < std::tie(frame.uid(b), b.span);
  });
  stats::RandomStream random(seed, hash128(stratum).low);
  const double weight = static_cast<double>(candidates.size()) / static_cast<double>(draws);
  for (std::size_t i = 0; i < draws; ++i) {
    const std::size_t chosen = i + random.below(static_cast<std::uint32_t>(candidates.size() - i));
    std::swap(candidates[i], candidates[chosen]);
    spans.push_back({frame.uid(candidates[i]), candidates[i].span, stratum, weight});
  }
}

}  // namespace

std::string stratum_name(std::string_view configuration, std::string_view run, std::string_view form) {
  return nlohmann::json::array({configuration, run, form})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void SampleFrame::add(std::string_view uid, std::uint32_t span, std::string_view configuration, std::string_view run,
                      std::string_view form) {
  if (uids_.empty() || uids_.back() != uid) uids_.emplace_back(uid);
  strata_[stratum_name(configuration, run, form)].push_back({static_cast<std::uint32_t>(uids_.size() - 1), span});
  if (++population_ > kMostSpans) {
    throw Error(ExitCode::usage, "there are too many spans to draw a sample from; divide the study");
  }
}

SpanSample draw_sample(const SampleFrame& frame, std::uint64_t size, std::uint64_t seed) {
  SpanSample sample;
  sample.facts = {size, seed, frame.population()};
  const std::vector<Share> shares = allocate(frame, std::min(size, frame.population()));
  std::size_t number = 0;
  for (const auto& [name, candidates] : frame.strata()) {
    const Share& share = shares[number++];
    if (share.draws == 0) {
      ++sample.strata_left_out;
      sample.spans_left_out += share.population;
    } else {
      draw_from_stratum(frame, name, candidates, share.draws, seed, sample.spans);
    }
  }
  std::sort(sample.spans.begin(), sample.spans.end(), [](const SampledSpan& a, const SampledSpan& b) {
    return std::tie(a.uid, a.span) < std::tie(b.uid, b.span);
  });
  return sample;
}

SampleFrame sample_frame(const store::Database& database) {
  SampleFrame frame;
  store::for_each_judged_span(database, [&](const store::JudgedSpanFacts& span) {
    frame.add(span.uid, span.span, span.configuration, span.run, span.form);
  });
  return frame;
}

std::string sample_note(const SpanSample& sample) {
  if (sample.strata_left_out == 0) return {};
  return fmt::format(
      "The sample is smaller than the number of strata (configuration, run, delivery form): {} strata with {} spans"
      " are not represented, and the weights add up to the other {} spans. A sample of at least {} has all.",
      sample.strata_left_out, sample.spans_left_out, sample.facts.population - sample.spans_left_out,
      sample.spans.size() + sample.strata_left_out);
}

}  // namespace memuse::workflow
