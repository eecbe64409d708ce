-- SPDX-License-Identifier: Apache-2.0
-- ARGV: a new epoch's name, room, epoch and id behind which to look (or empty), how many at most.
-- Answers epoch, newest id of the log, 1 for a gap, then id and payload of each message, newest first.
enter(ARGV[1])
local after = ARGV[4]
local gap = 0
if after ~= '' and (ARGV[3] ~= E or before(NEWEST, after)) then
  gap = 1
  after = ''
end
local answer = {E, NEWEST, gap}
local key = P .. ':history:' .. ARGV[2]

local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
local lost = '0-0' -- nothing behind this is missing
if newest then
  local from = math.max(0, now - tonumber(field(newest, 'l')))
  local bound = text(from) .. '-0'
  if after ~= '' and before(bound, after) then
    bound = '(' .. after
  end
  local found = redis.call('XREVRANGE', key, '+', bound, 'COUNT', ARGV[5]) or {} -- none for a count of none
  for i = 1, #found do
    answer[#answer + 1] = found[i][1]
    answer[#answer + 1] = field(found[i], 'p')
  end
  if #found > 0 then
    lost = field(found[#found], 'v')
  else
    lost = newest[1]
  end
else
  local life = tonumber(redis.call('HGET', META, 'life'))
  if life then
    lost = text(math.max(0, now - 2 * life)) .. '-0' -- it may have expired before that
  end
end
if after ~= '' and before(after, lost) then
  answer[3] = 1
end
return answer
