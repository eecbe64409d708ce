-- SPDX-License-Identifier: Apache-2.0
-- ARGV: a new epoch's name, node, number of the batch, messages, bytes and age of the log; then for each message its payload,
-- the number of its histories, and of each of them room, messages, age.
-- Answers epoch, ms, and n of the first. A batch that was sent twice is written once.
-- PREFIX:done is a hash: node -> its newest eight batches, the newest first, and what was answered; a node does not send more
-- of them before it has read the answers.
local DONE = P .. ':done'
local done = redis.call('HGET', DONE, ARGV[2]) or ''
local known = {}
for batch, epoch, ms, n in done:gmatch('(%d+) (%w+) (%d+) (%d+)') do
  if batch == ARGV[3] then
    if epoch == '0' then
      return redis.error_reply('STALE this batch has been given up') -- see written.lua
    end
    return {epoch, ms, n}
  end
  known[#known + 1] = table.concat({batch, epoch, ms, n}, ' ')
end
if known[1] and tonumber(known[1]:match('^%d+')) > tonumber(ARGV[3]) then
  return redis.error_reply('STALE this batch has been given up')
end
enter(ARGV[1])

local life = tonumber(redis.call('HGET', META, 'life'))

local function keep(room, id, payload, messages, age)
  local key = P .. ':history:' .. room
  local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  local previous = '0-0'
  if newest then
    previous = newest[1]
  elseif life then
    previous = text(math.max(0, now - 2 * life)) .. '-0' -- whatever there was expired before that
  end
  if not life or age < life then
    life = age
    redis.call('HSET', META, 'life', text(age))
  end
  redis.call('XADD', key, id, 'p', payload, 'v', previous, 'l', text(age))
  redis.call('XTRIM', key, 'MAXLEN', messages)
  redis.call('XTRIM', key, 'MINID', text(math.max(0, MS - age)))
  redis.call('PEXPIRE', key, text(2 * age))
end

local first = N + 1
local i = 7
while i <= #ARGV do
  local payload, histories = ARGV[i], tonumber(ARGV[i + 1])
  i = i + 2
  local id = append(payload)
  for _ = 1, histories do
    keep(ARGV[i], id, payload, ARGV[i + 1], tonumber(ARGV[i + 2]))
    i = i + 3
  end
end
settle()
trim(ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]))
local answer = {E, text(MS), text(first)}
table.insert(known, 1, ARGV[3] .. ' ' .. table.concat(answer, ' '))
known[9] = nil
redis.call('HSET', DONE, ARGV[2], table.concat(known, ';'))
return answer
