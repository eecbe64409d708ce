-- SPDX-License-Identifier: Apache-2.0
-- A node lives, and looks after others. ARGV: a new epoch's name, node, milliseconds of its lease; messages, bytes and age of the log.
-- Answers epoch, how many connections of it are in rooms, 1 when dead nodes may be left, milliseconds of the server's clock.
enter(ARGV[1])
local nodes = P .. ':nodes'
redis.call('ZADD', nodes, text(now + tonumber(ARGV[3])), ARGV[2])
local newest = N
local more = 0
local dead = redis.call('ZRANGEBYSCORE', nodes, '-inf', text(now), 'LIMIT', 0, 1)[1]
if dead then
  reap(dead, 200)
  more = 1
end
if N > newest then
  settle()
end
trim(ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]))
return {E, redis.call('HLEN', P .. ':node:' .. ARGV[2]), more, text(now)}
