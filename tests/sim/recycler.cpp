// The memory of bin/sim: what one schedule gives back, the next one is given.
//
// A schedule asks for a thousand small pieces and returns them all; a general allocator took an
// eighth of the time. Each thread has lists of its own, by size, and keeps what it was given until
// the process ends. Only the program is built with it: tests run on the allocator that the
// sanitizers watch.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kStepBytes = 16;
constexpr std::size_t kSteps = 257;  // larger pieces, beyond 4 KiB, are left to malloc
constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

// Stands before each piece: how many steps it takes, 0 for one of malloc's.
struct alignas(kStepBytes) Label {
  std::size_t steps = 0;
};

struct Piece {
  Piece* next = nullptr;
};

struct Memory {
  std::array<Piece*, kSteps> given_back{};
  char* room = nullptr;
  std::size_t left = 0;
};
thread_local constinit Memory memory;

void* labelled(char* bytes, std::size_t steps) { return new (bytes) Label{steps} + 1; }

char* from_malloc(std::size_t size) {
  void* bytes = std::malloc(size);
  if (bytes == nullptr) throw std::bad_alloc();
  return static_cast<char*>(bytes);
}

void* from_block(std::size_t steps) {
  const std::size_t size = steps * kStepBytes;
  if (memory.left < size) {
    memory.room = from_malloc(kBlockBytes);
    memory.left = kBlockBytes;
  }
  char* bytes = memory.room;
  memory.room += size;
  memory.left -= size;
  return labelled(bytes, steps);
}

}  // namespace

void* operator new(std::size_t size) {
  const std::size_t steps = (size + sizeof(Label) + kStepBytes - 1) / kStepBytes;
  if (steps >= kSteps) return labelled(from_malloc(size + sizeof(Label)), 0);
  Piece* piece = memory.given_back[steps];
  if (piece == nullptr) return from_block(steps);
  memory.given_back[steps] = piece->next;
  return piece;
}

void operator delete(void* bytes) noexcept {
  if (bytes == nullptr) return;
  Label* label = static_cast<Label*>(bytes) - 1;
  if (label->steps == 0) return std::free(label);
  Piece*& first = memory.given_back[label->steps];
  first = new (bytes) Piece{first};
}

void operator delete(void* bytes, std::size_t /*size*/) noexcept { operator delete(bytes); }
