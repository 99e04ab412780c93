// The same bytes at once and in slices must read as the same replies and end in the same error.
#include <string>
#include <vector>

#include "input.hpp"
#include "redlock/wire/codec.hpp"
#include "require.hpp"

namespace redlock::fuzz {

namespace {

struct Reading {
  std::vector<RespValue> values;
  std::string error;
};

void drain(RespReader& reader, Reading& reading) {
  while (auto value = reader.next()) {
    REQUIRE(value->text.size() <= kReplyBytesMax);
    reading.values.push_back(std::move(*value));
  }
  reading.error = reader.error();
}

Reading read_at_once(std::string_view bytes) {
  Reading reading;
  RespReader reader;
  reader.feed(bytes);
  drain(reader, reading);
  return reading;
}

Reading read_in_slices(std::string_view bytes, Input& sizes) {
  Reading reading;
  RespReader reader;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(1U + sizes.choice(16), bytes.size());
    reader.feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
    drain(reader, reading);
  }
  return reading;
}

}  // namespace

void compare(Input input) {
  const std::size_t choices = 1U + input.choice(32);
  Input sizes = input;
  for (std::size_t i = 0; i < choices; ++i) static_cast<void>(input.choice());
  const std::string_view bytes = input.text(std::string_view::npos);
  const Reading whole = read_at_once(bytes);
  const Reading sliced = read_in_slices(bytes, sizes);
  REQUIRE(whole.error == sliced.error);
  REQUIRE(whole.values.size() == sliced.values.size());
  for (std::size_t i = 0; i < whole.values.size(); ++i) {
    REQUIRE(whole.values[i].kind == sliced.values[i].kind);
    REQUIRE(whole.values[i].integer == sliced.values[i].integer);
    REQUIRE(whole.values[i].text == sliced.values[i].text);
  }
}

}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::compare(redlock::fuzz::Input(data, size));
  return 0;
}
