-- SPDX-License-Identifier: Apache-2.0
-- ARGV: node, session, its data, milliseconds of its life. See take.lua.
local key = P .. ':session:' .. ARGV[2]
local taken = redis.call('HMGET', key, 't', 'u')
local life = tonumber(ARGV[4])
if taken[1] and tonumber(taken[2]) > now then
  if taken[1] ~= ARGV[1] then
    return 0
  end
  life = math.max(life, tonumber(taken[2]) - now)
end
redis.call('HSET', key, 'n', ARGV[1], 'd', ARGV[3])
redis.call('HDEL', key, 'r', 'k')
redis.call('PEXPIRE', key, text(life))
return 1
