// Permits: up to k holders of one resource, each with an exclusive lock on one of its k slots.
//
// To count holders instead would not do: of three servers that admit two each, three clients can
// each have a majority. Who wants a permit and finds none stands in one line, common to all slots.
// Pure.
#pragma once
#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

#include "redlock/algorithm/ids.hpp"
#include "redlock/algorithm/reply.hpp"

namespace redlock {

// A server looks at all of them when it refuses one.
inline constexpr std::size_t kPermitsMax = 1'024;
// By so much a slot's name is longer than that of its resource at most.
inline constexpr std::size_t kSlotNameBytesMax = 18;

// The name of the line of those that wait for a permit, and that of a slot's lock, from 0.
[[nodiscard]] Resource permit_line_of(const Resource& resource);
[[nodiscard]] Resource slot_of(const Resource& resource, std::size_t slot);
// The number of a slot by its lock's name; nothing where it is no slot's.
[[nodiscard]] std::optional<std::size_t> slot_number(const Resource& name);

using SlotSet = std::bitset<kPermitsMax>;

// What a node says of a resource's slots; `position` where one stands in its line, its `left` when
// the next slot ends.
struct PermitView {
  SlotSet free;
  QueuePosition position;

  bool operator==(const PermitView&) const = default;
};

}  // namespace redlock
