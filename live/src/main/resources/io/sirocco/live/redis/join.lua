-- SPDX-License-Identifier: Apache-2.0
-- Connections come into rooms. ARGV: a new epoch's name, node, milliseconds of its lease; then of each room, client, identity, member.
-- PREFIX:room:ROOM   hash: node and client -> member
-- PREFIX:who:ROOM    hash: identity -> number of connections
-- PREFIX:node:NODE   hash: room and client -> identity
-- PREFIX:nodes       sorted set: node, by the end of its lease
enter(ARGV[1])
local node = ARGV[2]
local newest = N
redis.call('ZADD', P .. ':nodes', 'NX', text(now + tonumber(ARGV[3])), node)
for i = 4, #ARGV, 4 do
  local room, client, identity, member = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local set, field = P .. ':node:' .. node, #room .. ':' .. room .. client
  local key, connection = P .. ':room:' .. room, #node .. ':' .. node .. client
  local was = redis.call('HGET', set, field)
  local other = redis.call('HGET', key, connection)
  redis.call('HSET', set, field, identity)
  redis.call('HSET', key, connection, member)
  if was ~= identity then
    if redis.call('HINCRBY', P .. ':who:' .. room, identity, 1) == 1 then
      append('\1\3' .. member)
    end
    if was and other then
      less(room, was, other)
    end
  end
end
if N > newest then
  settle()
end
return #ARGV
