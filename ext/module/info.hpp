// The extension's part of phpinfo().
#pragma once

namespace redlock::php {

// Everything but the settings. Shows no address and no credential.
void print_info();

}  // namespace redlock::php
