-- SPDX-License-Identifier: Apache-2.0
-- ARGV: a new epoch's name, node, session, id of this call, what is said to the node that had it, milliseconds to remember that it
-- was taken. Answers the session and the newest number of the log, or nothing. A call that was sent twice is answered twice.
-- PREFIX:session:SESSION is a hash: n = the node that kept it, v = the version, d = the session, c = what has changed since; when it
-- was taken t = by whom, u = until when that is remembered, r = by which call, k = what it answered.
local key = P .. ':session:' .. ARGV[3]
local found = redis.call('HMGET', key, 'n', 'd', 'r', 'k', 'c')
if not found[2] then
  if found[3] == ARGV[4] then
    return {found[4], redis.call('HGET', META, 'n') or '0'}
  end
  return false
end
local session = found[2] .. (found[5] or '')
redis.call('HDEL', key, 'd', 'c', 'v', 'n')
redis.call('HSET', key, 't', ARGV[2], 'u', text(now + tonumber(ARGV[6])), 'r', ARGV[4], 'k', session)
redis.call('PEXPIRE', key, ARGV[6])
if found[1] ~= ARGV[2] then
  enter(ARGV[1])
  append(ARGV[5], found[1])
  settle()
end
return {session, redis.call('HGET', META, 'n') or '0'}
