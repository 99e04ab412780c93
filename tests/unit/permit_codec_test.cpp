// The commands of permits as text, and what their answers mean.
#include "redlock/wire/permit_codec.hpp"

#include <gtest/gtest.h>

#include "redlock/algorithm/permit.hpp"
#include "redlock/wire/line_codec.hpp"

namespace redlock::permit_codec_test {
namespace {

const TakeSlot kTake{Resource("r:redlock:slot:1"), Token("tok"), Duration::ms(70), 3};
const StandForPermit kStand{
    Resource("r:redlock:slot"), Token("tok"), Duration::ms(70), {5, "here", 2, {}}, 3};

RespValue value(RespKind kind, const std::string& text) {
  RespValue value;
  value.kind = kind;
  value.text = text;
  return value;
}

const PermitView* view_of(const ReadReply& reply) {
  if (!reply || reply->answer != Answer::denied) return nullptr;
  const auto* const view = reply->said<std::shared_ptr<const PermitView>>();
  return view == nullptr ? nullptr : view->get();
}

template <class Codec, class C>
std::string written(const C& command) {
  std::string out;
  Codec::write(RequestWriter(out, ScriptForm::sha1), command);
  return out;
}

TEST(PermitCodecTest, ASlotIsTakenOrItIsSaidWhichAreFree) {
  using Codec = CommandCodec<TakeSlot>;
  EXPECT_EQ(Codec::read(kTake, value(RespKind::status, "OK")), Reply::granted());
  const ReadReply busy = Codec::read(kTake, value(RespKind::bulk, "-2 101"));
  ASSERT_NE(view_of(busy), nullptr);
  EXPECT_EQ(view_of(busy)->free.to_ulong(), 5U);
  const ReadReply full = Codec::read(kTake, value(RespKind::bulk, "300 000"));
  ASSERT_NE(view_of(full), nullptr);
  EXPECT_EQ(view_of(full)->position.left, Duration::ms(300));
  for (const char* const text : {"", "-2", "-2 10", "-2 1011", "-2 1x1", "x 101", "101"}) {
    EXPECT_FALSE(Codec::read(kTake, value(RespKind::bulk, text))) << text;
  }
  EXPECT_FALSE(Codec::read(kTake, value(RespKind::nil, "")));
  EXPECT_FALSE(Codec::read(kTake, value(RespKind::status, "GRANTED")));
}

TEST(PermitCodecTest, WhoStandsIsToldHisPlaceAndWhichAreFree) {
  using Codec = CommandCodec<StandForPermit>;
  const ReadReply stands = Codec::read(kStand, value(RespKind::bulk, "300 2 1700000000000 000"));
  ASSERT_NE(view_of(stands), nullptr);
  EXPECT_EQ(view_of(stands)->position.index, 2);
  EXPECT_EQ(view_of(stands)->position.left, Duration::ms(300));
  for (const char* const text : {"", "300 2 17", "300 2 17 00", "300 2 17 0000", "2 17 000"}) {
    EXPECT_FALSE(Codec::read(kStand, value(RespKind::bulk, text))) << text;
  }
  EXPECT_FALSE(Codec::read(kStand, value(RespKind::status, "GRANTED")));
}

TEST(PermitCodecTest, ASlotIsGivenBackByTheScriptThatTellsTheNext) {
  const std::string said = written<CommandCodec<ReleaseAndHandOver>>(kTake.undo());
  EXPECT_NE(said.find(scripts::permit_pass.sha1), std::string::npos);
  const std::string left = written<CommandCodec<LeavePermits>>(kStand.undo());
  EXPECT_NE(left.find(scripts::permit_leave.sha1), std::string::npos);
}

TEST(PermitCodecTest, AFreeSlotIsToldByItsNumber) {
  const auto push = parse_push("slot 7 tok");
  ASSERT_TRUE(push);
  EXPECT_EQ(push->kind, Push::Kind::slot);
  EXPECT_EQ(push->slot, 7U);
  EXPECT_EQ(push->token, Token("tok"));
  for (const char* const text : {"slot", "slot 7", "slot 1024 tok", "slot -1 tok", "slot x tok"}) {
    EXPECT_FALSE(parse_push(text)) << text;
  }
}

}  // namespace
}  // namespace redlock::permit_codec_test
