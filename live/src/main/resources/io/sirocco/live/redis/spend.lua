-- SPDX-License-Identifier: Apache-2.0
-- ARGV: ticket, id of this call, milliseconds. Answers 1 the first time. A call that was sent twice is answered twice.
-- PREFIX:ticket:TICKET is the id of the call.
local key = P .. ':ticket:' .. ARGV[1]
if redis.call('SET', key, ARGV[2], 'NX', 'PX', ARGV[3]) then
  return 1
end
return redis.call('GET', key) == ARGV[2] and 1 or 0
