// What is counted of the servers that this thread talks to.
#pragma once
#include "border/zend.hpp"

namespace redlock::php {

// ['127.0.0.1:6379' => ['requests' => int, …], …], by name.
void put_server_stats(zval* into);
// Rows for phpinfo() of all servers together: its pages may be public, and show no address.
void print_server_stats();

}  // namespace redlock::php
