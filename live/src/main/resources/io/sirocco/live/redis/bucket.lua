-- SPDX-License-Identifier: Apache-2.0
-- ARGV: key, tokens, milliseconds in which they are filled. Answers 1 when there was one.
-- PREFIX:bucket:KEY is a hash: u = tokens that are missing, m = microseconds of when that was so.
local key = P .. ':bucket:' .. ARGV[1]
local count, per = tonumber(ARGV[2]), tonumber(ARGV[3])
local micros = clock[1] * 1000000 + clock[2]
local was = redis.call('HMGET', key, 'u', 'm')
local used = 0
if was[1] then
  used = math.max(0, tonumber(was[1]) - (micros - tonumber(was[2])) * count / (per * 1000))
end
local allowed = used + 1 <= count
if allowed then
  used = used + 1
end
redis.call('HSET', key, 'u', string.format('%.6f', used), 'm', text(micros))
redis.call('PEXPIRE', key, text(per))
return allowed and 1 or 0
