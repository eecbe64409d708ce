-- SPDX-License-Identifier: Apache-2.0
-- ARGV: node, session, its version, its data, milliseconds of its life. See take.lua. Answers 0 when it is another node's.
local key = P .. ':session:' .. ARGV[2]
local found = redis.call('HMGET', key, 't', 'u', 'n', 'v')
local life = tonumber(ARGV[5])
if found[1] and tonumber(found[2]) > now then
  if found[1] ~= ARGV[1] then
    return 0
  end
  life = math.max(life, tonumber(found[2]) - now)
end
if found[3] == ARGV[1] and tonumber(found[4]) > tonumber(ARGV[3]) then
  return 1 -- this was on its way for longer than what came later
end
redis.call('HSET', key, 'n', ARGV[1], 'v', ARGV[3], 'd', ARGV[4])
redis.call('HDEL', key, 'r', 'k', 'c')
redis.call('PEXPIRE', key, text(life))
return 1
