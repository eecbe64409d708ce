-- SPDX-License-Identifier: Apache-2.0
-- ARGV: a new epoch's name, room, epoch and id before which to look (or empty), how many and how many bytes at most.
-- Answers epoch, newest id of the log, 1 for a gap, then id and payload of each message, newest first.
enter(ARGV[1])
local to = '+'
if ARGV[4] ~= '' then
  if ARGV[4] == '0-0' or ARGV[3] ~= E or before(NEWEST, ARGV[4]) then
    return {E, NEWEST, 1}
  end
  to = '(' .. ARGV[4]
end
local answer = {E, NEWEST, 0}
local key = P .. ':history:' .. ARGV[2]
local most, room = tonumber(ARGV[5]), tonumber(ARGV[6])

local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
if not newest then
  return answer
end
local from = text(math.max(0, now - tonumber(field(newest, 'l')))) .. '-0'
local count = 0
while count < most do
  local found = redis.call('XREVRANGE', key, to, from, 'COUNT', math.min(10, most - count))
  for i = 1, #found do
    local payload = field(found[i], 'p')
    room = room - #payload
    if room < 0 and count > 0 then
      return answer
    end
    answer[#answer + 1] = found[i][1]
    answer[#answer + 1] = payload
    count = count + 1
  end
  if #found == 0 then
    break
  end
  to = '(' .. found[#found][1]
end
return answer
