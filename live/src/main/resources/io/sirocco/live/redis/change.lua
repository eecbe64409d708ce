-- SPDX-License-Identifier: Apache-2.0
-- What has changed in a session. ARGV: node, session, the version that this changes, the next, its data, milliseconds of its life.
-- Answers 0 when there is no such version of this node. A call that was sent twice is answered twice. See take.lua.
local key = P .. ':session:' .. ARGV[2]
local found = redis.call('HMGET', key, 'n', 'v', 'd', 'c')
if not found[3] or found[1] ~= ARGV[1] then
  return 0
end
if found[2] == ARGV[4] then
  return 1
end
if found[2] ~= ARGV[3] then
  return 0
end
redis.call('HSET', key, 'v', ARGV[4], 'c', (found[4] or '') .. ARGV[5])
redis.call('PEXPIRE', key, ARGV[6])
return 1
