// The encoder's memory never gives one command's bytes for another.
#include "redlock/wire/encoder.hpp"

#include <gtest/gtest.h>

#include "support/allocations.hpp"

namespace redlock::encoder_test {
namespace {

SharedCommand check_of(const std::string& token) {
  return std::make_shared<const Command>(CheckEqual{Resource("r"), Token(token)});
}

std::string fresh(const Command& command, ScriptForm form) {
  std::string bytes;
  append_request(bytes, command, form);
  return bytes;
}

TEST(RequestEncoder, GivesTheSameBytesAsFormattingAnew) {
  RequestEncoder encoder;
  const SharedCommand command = check_of("a");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(encoder.encode(command, ScriptForm::sha1), fresh(*command, ScriptForm::sha1));
  }
}

TEST(RequestEncoder, KnowsACommandByItsMemoryForAsLongAsItIsTheLatest) {
  RequestEncoder encoder;
  const SharedCommand a = check_of("a");
  const SharedCommand b = check_of("b");
  static_cast<void>(encoder.encode(a, ScriptForm::sha1));
  EXPECT_EQ(a.use_count(), 2);
  static_cast<void>(encoder.encode(b, ScriptForm::sha1));
  EXPECT_EQ(a.use_count(), 1);
}

TEST(RequestEncoder, TellsCommandsApartThatLookAlike) {
  RequestEncoder encoder;
  const SharedCommand a = check_of("a");
  const SharedCommand b = check_of("b");
  for (const SharedCommand& command : {a, b, b, a}) {
    EXPECT_EQ(encoder.encode(command, ScriptForm::sha1), fresh(*command, ScriptForm::sha1));
  }
}

TEST(RequestEncoder, TellsTheFormsOfOneCommandApart) {
  RequestEncoder encoder;
  const SharedCommand command = check_of("a");
  for (const ScriptForm form : {ScriptForm::sha1, ScriptForm::text, ScriptForm::sha1}) {
    EXPECT_EQ(encoder.encode(command, form), fresh(*command, form));
  }
}

TEST(RequestEncoder, ANewCommandInAnOldOnesMemoryIsStillANewCommand) {
  RequestEncoder encoder;
  for (int i = 0; i < 100; ++i) {
    const SharedCommand command = check_of(std::to_string(i));
    EXPECT_EQ(encoder.encode(command, ScriptForm::text), fresh(*command, ScriptForm::text));
  }
}

// Or half of a request would be sent for the whole of another.
TEST(RequestEncoder, ForgetsWhatItKnewWhereMemoryRunsOutInTheMiddleOfARequest) {
  const SharedCommand known = check_of("a");
  const SharedCommand longer = check_of(std::string(1'000, 'b'));
  struct Asked {
    SharedCommand command;
    ScriptForm form;
  };
  for (const Asked& next : {Asked{longer, ScriptForm::sha1}, Asked{known, ScriptForm::text}}) {
    std::size_t shortages = 0;
    for (bool happened = true; happened; shortages += happened ? 1 : 0) {
      RequestEncoder encoder;
      static_cast<void>(encoder.encode(known, ScriptForm::sha1));
      happened = test::try_without(shortages, test::Shortage::once, [&] {
                   static_cast<void>(encoder.encode(next.command, next.form));
                 }).happened;
      EXPECT_EQ(encoder.encode(known, ScriptForm::sha1), fresh(*known, ScriptForm::sha1));
      EXPECT_EQ(encoder.encode(next.command, next.form), fresh(*next.command, next.form));
    }
    EXPECT_GT(shortages, 0U);
  }
}

}  // namespace
}  // namespace redlock::encoder_test
