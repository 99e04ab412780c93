// An endpoint for each variant of the handshake.
#pragma once
#include "redlock/config/endpoint.hpp"

namespace redlock::fuzz {

// Bits of `variant`: password, user, database, client name.
inline Endpoint endpoint_of(unsigned variant) {
  Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  if ((variant & 1U) != 0) endpoint.password = "secret";
  if ((variant & 3U) == 3U) endpoint.user = "someone";
  if ((variant & 4U) != 0) endpoint.database = 7;
  if ((variant & 8U) != 0) endpoint.client_name = "fuzz";
  return endpoint;
}

}  // namespace redlock::fuzz
