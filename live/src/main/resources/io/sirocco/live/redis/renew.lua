-- SPDX-License-Identifier: Apache-2.0
-- Sessions live on. ARGV: node, milliseconds of their life, then the sessions. Answers the places of those, from 0, that are not there
-- from this node. See take.lua.
local missing = {}
for i = 3, #ARGV do
  local key = P .. ':session:' .. ARGV[i]
  local found = redis.call('HMGET', key, 'n', 'd')
  if found[2] and found[1] == ARGV[1] then
    redis.call('PEXPIRE', key, ARGV[2])
  else
    missing[#missing + 1] = i - 3
  end
end
return missing
