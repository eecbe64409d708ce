-- SPDX-License-Identifier: Apache-2.0
-- Begins each script that writes to the log.
--
-- PREFIX:meta   hash: epoch, its mark (the id of its first entry), ms and n of the newest id, b = bytes ever
--               written, life = the shortest life of a history so far
-- PREFIX:log    stream: p = payload, b = bytes ever written up to it, o = the only node that it concerns
--
-- An id is MS-N: the time of this server, never going back, and a number without a hole.
local P = KEYS[1]:sub(1, -2) -- without the colon
local META, LOG = P .. ':meta', P .. ':log'
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local E, MS, N, B, NEWEST

local function text(number)
  return string.format('%.0f', number)
end

local function append(payload, only)
  N = N + 1
  B = B + #payload + 100
  NEWEST = text(MS) .. '-' .. text(N)
  if only then
    redis.call('XADD', LOG, NEWEST, 'p', payload, 'b', text(B), 'o', only)
  else
    redis.call('XADD', LOG, NEWEST, 'p', payload, 'b', text(B))
  end
  return NEWEST
end

-- To be called when something was appended.
local function settle()
  redis.call('HSET', META, 'ms', text(MS), 'n', text(N), 'b', text(B))
end

-- Another epoch, from here on.
local function begin(epoch)
  E = epoch
  local mark = append('\1\5' .. epoch)
  redis.call('HSET', META, 'epoch', E, 'mark', mark)
  redis.call('HDEL', META, 'life')
  settle()
end

-- Learns where the log is. Where there is none, a new one is begun.
local function enter(epoch)
  local meta = redis.call('HMGET', META, 'epoch', 'ms', 'n', 'b')
  if meta[1] then
    E = meta[1]
    MS, N, B = tonumber(meta[2]), tonumber(meta[3]), tonumber(meta[4])
    NEWEST = text(MS) .. '-' .. text(N)
    MS = math.max(MS, now)
  else
    MS, N, B = now, 0, 0
    redis.call('DEL', LOG)
    begin(epoch)
  end
end

local function parse(id)
  local ms, n = id:match('^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(n)
end

-- Whether an id is before another.
local function before(a, b)
  local ams, an = parse(a)
  local bms, bn = parse(b)
  return ams < bms or (ams == bms and an < bn)
end

-- Keeps at most so many messages and bytes, and none that is older; of bytes perhaps a little more until the next time.
local function trim(messages, bytes, age)
  redis.call('XTRIM', LOG, 'MINID', text(math.max(0, now - age)))
  redis.call('XTRIM', LOG, 'MAXLEN', messages)
  for _ = 1, 20 do
    local length = redis.call('XLEN', LOG)
    if length < 2 then
      return
    end
    local fields = redis.call('XRANGE', LOG, '-', '+', 'COUNT', 1)[1][2]
    local sum = 0
    for i = 1, #fields, 2 do
      if fields[i] == 'b' then
        sum = tonumber(fields[i + 1])
      end
    end
    local held = B - sum -- without the first
    if held <= bytes then
      return
    end
    local surplus = math.ceil((held - bytes) / (held / length) / 2)
    redis.call('XTRIM', LOG, 'MAXLEN', math.max(1, length - math.max(1, surplus)))
  end
end

-- One connection less of somebody in a room; says so when it was the last.
local function less(room, identity, member)
  local who = P .. ':who:' .. room
  if redis.call('HINCRBY', who, identity, -1) <= 0 then
    redis.call('HDEL', who, identity)
    append('\1\4' .. member)
  end
end

-- A connection leaves a room.
local function leave(node, field)
  local set = P .. ':node:' .. node
  local identity = redis.call('HGET', set, field)
  if not identity then
    return
  end
  redis.call('HDEL', set, field)
  local digits, rest = field:match('^(%d+):(.*)$')
  local room = rest:sub(1, tonumber(digits))
  local key = P .. ':room:' .. room
  local connection = #node .. ':' .. node .. rest:sub(tonumber(digits) + 1)
  local member = redis.call('HGET', key, connection)
  redis.call('HDEL', key, connection)
  if member then
    less(room, identity, member)
  end
end

-- Up to so many connections of a node leave; says whether that were all.
local function reap(node, most)
  local set = P .. ':node:' .. node
  local fields = redis.call('HRANDFIELD', set, most)
  for i = 1, #fields do
    leave(node, fields[i])
  end
  if redis.call('HLEN', set) > 0 then
    return false
  end
  redis.call('ZREM', P .. ':nodes', node)
  redis.call('HDEL', P .. ':done', node)
  return true
end

-- The value of a field of an entry of a stream; nil for none.
local function field(entry, name)
  for i = 1, #entry[2], 2 do
    if entry[2][i] == name then
      return entry[2][i + 1]
    end
  end
end
