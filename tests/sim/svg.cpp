// Drawing. Quiet stretches are cut short, so that what happens can be seen.
#include "sim/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "sim/sim_clock.hpp"

namespace redlock::sim {

namespace {

constexpr double kLeft = 90;
constexpr double kTop = 70;
constexpr double kLaneGap = 78;
constexpr double kPerMs = 36;
constexpr double kLabelHeight = 9;
constexpr double kLetterWidth = 5.5;
constexpr double kQuietWidth = 30;  // of any stretch in which nothing happens

std::string number(double value) {
  std::array<char, 32> text;
  const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// What led to a violation is near it: everything else would make the picture endless.
constexpr std::int64_t kBeforeNs = 80 * kMs;
constexpr std::int64_t kAfterNs = 15 * kMs;

std::optional<PictureSpan> around_violation(const Story& story) {
  if (story.violations.empty()) return std::nullopt;
  const std::int64_t at_ns = story.violations.front().at_ns;
  return PictureSpan{at_ns - kBeforeNs, at_ns + kAfterNs};
}

Story part_of(const Story& story, const PictureSpan& span) {
  const auto outside = [&](std::int64_t begin, std::int64_t end) {
    return end < span.from_ns || begin > span.until_ns;
  };
  Story part = story;
  std::erase_if(part.messages, [&](const auto& m) { return outside(m.sent_ns, m.arrived_ns); });
  std::erase_if(part.spans, [&](const auto& s) { return outside(s.from_ns, s.until_ns); });
  std::erase_if(part.notes, [&](const auto& n) { return outside(n.at_ns, n.at_ns); });
  std::erase_if(part.violations, [&](const auto& v) { return outside(v.at_ns, v.at_ns); });
  return part;
}

// What a message is about, in a word or two.
std::string short_label(const StoryMessage& message) {
  constexpr std::string_view kPushed = "pushed: ";
  if (message.text.starts_with(kPushed)) {
    return message.text.substr(kPushed.size(),
                               message.text.find(' ', kPushed.size()) - kPushed.size());
  }
  if (!message.to_server) return message.text.substr(0, 12);
  std::string label;
  std::size_t at = 0;
  while (at < message.text.size()) {
    const std::size_t end = std::min(message.text.find(", ", at), message.text.size());
    std::string part = message.text.substr(at, end - at);
    if (part.starts_with("EVAL")) part.erase(0, part.find(' ') + 1);
    part = part.substr(0, part.find(' '));
    if (part == "extend_if_equal") part = "extend";
    if (part == "check_equal") part = "check";
    label += (label.empty() ? "" : "+") + part;
    at = end + 2;
  }
  return label;
}

// From virtual time to the picture.
class TimeScale {
 public:
  explicit TimeScale(const Story& story) {
    std::vector<std::int64_t> times;
    for (const StoryMessage& message : story.messages) {
      times.push_back(message.sent_ns);
      times.push_back(message.arrived_ns);
    }
    for (const StoryNote& note : story.notes) times.push_back(note.at_ns);
    std::ranges::sort(times);
    if (times.empty()) times.push_back(0);
    double x = kLeft + 20;
    std::int64_t before = times.front();
    for (const std::int64_t time : times) {
      const double wanted = static_cast<double>(time - before) / kMs * kPerMs;
      x += std::min(wanted, kQuietWidth);
      places_[time] = x;
      before = time;
    }
  }
  [[nodiscard]] double x(std::int64_t time) const {
    const auto above = places_.lower_bound(time);
    if (above == places_.end()) return places_.rbegin()->second;
    if (above == places_.begin() || above->first == time) return above->second;
    const auto below = std::prev(above);
    const double share =
        static_cast<double>(time - below->first) / static_cast<double>(above->first - below->first);
    return below->second + share * (above->second - below->second);
  }
  [[nodiscard]] double end() const { return places_.rbegin()->second; }
  [[nodiscard]] const std::map<std::int64_t, double>& places() const { return places_; }

 private:
  std::map<std::int64_t, double> places_;
};

class Picture {
 public:
  Picture(Story story, const std::string& title) : story_(std::move(story)), scale_(story_) {
    const double width = std::max(scale_.end() + 50, 560.0);
    const double height = kTop + kLaneGap * (story_.servers + story_.clients) + 40;
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
           number(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n" +
           "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    text(12, 20, title, "#222222", "font-size=\"14\" font-weight=\"bold\"");
    draw_lanes();
    draw_axis();
    for (const StorySpan& span : story_.spans) draw_span(span);
    for (const StoryMessage& message : story_.messages) draw_message(message);
    draw_violations();
    out_ += "</svg>\n";
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  [[nodiscard]] double server_y(std::uint32_t index) const { return kTop + 30 + kLaneGap * index; }
  [[nodiscard]] double client_y(std::uint32_t index) const {
    return kTop + 40 + kLaneGap * (story_.servers + index);
  }
  void text(double x, double y, const std::string& words, const char* color,
            const std::string& more = "") {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" fill=\"" + color + "\" " + more +
            ">" + escaped(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const char* color,
            const std::string& more = "") {
    out_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
            "\" y2=\"" + number(y2) + "\" stroke=\"" + color + "\" " + more + "/>\n";
  }
  void label(double x, double y, double step, const std::string& words, const char* color);
  void draw_lanes();
  void draw_axis();
  void draw_span(const StorySpan& span);
  void draw_message(const StoryMessage& message);
  void draw_violations();

  struct Label {
    double x;
    double y;
    double width;
  };

  const Story story_;
  TimeScale scale_;
  std::vector<Label> labels_;
  std::string out_;
};

// Where it would meet an earlier one, it moves by steps until it does not.
void Picture::label(double x, double y, double step, const std::string& words, const char* color) {
  const double width = kLetterWidth * static_cast<double>(words.size()) + 3;
  const auto meets = [&](const Label& other) {
    return x < other.x + other.width && other.x < x + width && std::abs(y - other.y) < kLabelHeight;
  };
  while (std::ranges::any_of(labels_, meets)) y += step;
  labels_.push_back({x, y, width});
  text(x, y, words, color, "font-size=\"9\"");
}

void Picture::draw_lanes() {
  for (std::uint32_t i = 0; i < story_.servers + story_.clients; ++i) {
    const bool server = i < story_.servers;
    const std::uint32_t index = server ? i : i - story_.servers;
    const double y = server ? server_y(index) : client_y(index);
    line(kLeft, y, scale_.end() + 20, y, "#999999");
    text(12, y + 4, (server ? "server " : "client ") + std::to_string(index), "#222222",
         "font-weight=\"bold\"");
  }
}

void Picture::draw_axis() {
  double last = 0;
  for (const auto& [time, x] : scale_.places()) {
    if (x - last < 70) continue;
    last = x;
    line(x, kTop - 12, x, kTop - 6, "#666666");
    text(x - 16, kTop - 16, number(static_cast<double>(time) / kMs) + " ms", "#666666");
  }
}

void Picture::draw_span(const StorySpan& span) {
  const double from = scale_.x(span.from_ns);
  const double width = std::max(3.0, scale_.x(span.until_ns) - from);
  const double y = span.on_server ? server_y(span.lane) : client_y(span.lane);
  const char* fill = span.is_fault ? "#e4572e" : "#f2b134";
  out_ += "<rect x=\"" + number(from) + "\" y=\"" + number(y - 9) + "\" width=\"" + number(width) +
          "\" height=\"18\" rx=\"3\" fill=\"" + fill +
          (span.is_fault ? "\" fill-opacity=\"0.35\"/>\n" : "\" fill-opacity=\"0.85\"/>\n");
  if (span.is_fault) return text(from + 3, y - 13, span.text, "#b23a17");
  text(from + 3, y + 21, span.text, "#5a3d00");
}

void Picture::draw_message(const StoryMessage& message) {
  const double client = client_y(message.client);
  const double server = server_y(message.server);
  const double from_y = message.to_server ? client : server;
  const double to_y = message.to_server ? server : client;
  const double from_x = scale_.x(message.sent_ns);
  const double to_x = scale_.x(message.arrived_ns);
  const char* color = message.to_server ? "#2b6cb0" : "#2f855a";
  line(from_x, from_y, to_x, to_y, color, "stroke-opacity=\"0.7\"");
  out_ += "<circle cx=\"" + number(to_x) + "\" cy=\"" + number(to_y) + "\" r=\"2.5\" fill=\"" +
          color + "\"><title>" + escaped(message.text) + "</title></circle>\n";
  // Beside the arrival, out of the way of the lane itself.
  const double label_y = message.to_server ? to_y + 20 : to_y - 13;
  const double step = message.to_server ? kLabelHeight : -kLabelHeight;
  label(to_x + 2, label_y, step, short_label(message), color);
}

void Picture::draw_violations() {
  double y = 36;
  const double bottom = client_y(story_.clients == 0 ? 0 : story_.clients - 1) + 20;
  for (const StoryNote& violation : story_.violations) {
    const double x = scale_.x(violation.at_ns);
    line(x, kTop - 4, x, bottom, "#c00000", "stroke-width=\"2\" stroke-dasharray=\"6 3\"");
    if (y > 48) continue;
    text(12, y, number(static_cast<double>(violation.at_ns) / kMs) + " ms  " + violation.text,
         "#c00000");
    y += 12;
  }
}

}  // namespace

std::string timeline_svg(const Story& story, const std::string& title,
                         const std::optional<PictureSpan>& span) {
  const std::optional<PictureSpan> shown = span ? span : around_violation(story);
  return Picture(shown ? part_of(story, *shown) : story, title).take();
}

}  // namespace redlock::sim
