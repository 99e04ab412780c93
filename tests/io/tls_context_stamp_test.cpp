// By what it is noticed that a file of TLS has changed: each of its parts alone tells.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>

#include "io/support/temp_folder.hpp"
#include "redlock/os/tls_context.hpp"
#include "support/certificates.hpp"

namespace redlock::tls_context_stamp_test {
namespace {

using test::temp_path;
using test::write_file;

class AFileOfTls : public testing::Test {
 protected:
  AFileOfTls() {
    server_.host = "localhost";
    server_.tls.emplace();
    server_.tls->cafile = path_;
    EXPECT_FALSE(is_rubbish());
    EXPECT_EQ(stat(path_.c_str(), &read_), 0);
  }
  // As it was read last.
  bool is_rubbish() { return contexts_.begin(server_).stream == nullptr; }
  [[nodiscard]] std::string rubbish(std::size_t more = 0) const {
    return std::string(static_cast<std::size_t>(read_.st_size) + more, '\n');
  }
  static void set_time(const std::string& path, timespec changed) {
    const std::array<timespec, 2> times{changed, changed};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }

  const std::string path_ =
      write_file(temp_path("authority"), test::Certificate::self_signed().certificate_pem());
  Endpoint server_;
  TlsContexts contexts_;
  struct stat read_{};
};

TEST_F(AFileOfTls, ThatLooksAsItDidIsNotReadAgain) {
  write_file(path_, rubbish());
  set_time(path_, read_.st_mtim);
  EXPECT_FALSE(is_rubbish());
}

TEST_F(AFileOfTls, IsReadAgainWhereOnlyItsSizeHasChanged) {
  write_file(path_, rubbish(1));
  set_time(path_, read_.st_mtim);
  EXPECT_TRUE(is_rubbish());
}

TEST_F(AFileOfTls, IsReadAgainWhereItsTimeHasChangedByANanosecond) {
  constexpr time_t kSecond = 1'700'000'000;
  set_time(path_, {kSecond, 999'999'998});
  EXPECT_FALSE(is_rubbish());
  write_file(path_, rubbish());
  set_time(path_, {kSecond, 999'999'999});
  EXPECT_TRUE(is_rubbish());
}

TEST_F(AFileOfTls, IsReadAgainWhereANanosecondMadeItASecondLater) {
  constexpr time_t kSecond = 1'700'000'000;
  set_time(path_, {kSecond, 999'999'999});
  EXPECT_FALSE(is_rubbish());
  write_file(path_, rubbish());
  set_time(path_, {kSecond + 1, 0});
  EXPECT_TRUE(is_rubbish());
}

TEST_F(AFileOfTls, IsReadAgainWhereItsTimeHasChangedByASecond) {
  write_file(path_, rubbish());
  timespec changed = read_.st_mtim;
  --changed.tv_sec;
  set_time(path_, changed);
  EXPECT_TRUE(is_rubbish());
}

TEST_F(AFileOfTls, IsReadAgainWhereAnotherOfItsSizeAndTimeTookItsPlace) {
  const std::string other = write_file(temp_path("other"), rubbish());
  set_time(other, read_.st_mtim);
  ASSERT_EQ(std::rename(other.c_str(), path_.c_str()), 0);
  EXPECT_TRUE(is_rubbish());
}

}  // namespace
}  // namespace redlock::tls_context_stamp_test
