// A private folder for the test program's servers, removed however the program ends.
#pragma once
#include <string>

namespace redlock::test {

// The folder; made on first use. A helper process outside the terminal's process group removes it
// as soon as this process is gone, be it by exit, by a signal or by kill -9.
const std::string& temp_folder();

// A name in the folder that has not been given out before.
std::string temp_path(const std::string& stem);

}  // namespace redlock::test
