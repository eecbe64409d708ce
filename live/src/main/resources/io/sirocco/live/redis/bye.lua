-- SPDX-License-Identifier: Apache-2.0
-- A node stops. ARGV: a new epoch's name, node. What is too much for one call is left to the others.
enter(ARGV[1])
local newest = N
if not reap(ARGV[2], 2000) then
  redis.call('ZADD', P .. ':nodes', 0, ARGV[2])
end
if N > newest then
  settle()
end
return 1
