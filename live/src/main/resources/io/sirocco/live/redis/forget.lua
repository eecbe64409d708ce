-- SPDX-License-Identifier: Apache-2.0
-- ARGV: node, session. See take.lua.
local key = P .. ':session:' .. ARGV[2]
local taken = redis.call('HMGET', key, 't', 'u')
if taken[1] and taken[1] ~= ARGV[1] and tonumber(taken[2]) > now then
  return 0
end
return redis.call('DEL', key)
