-- SPDX-License-Identifier: Apache-2.0
-- Whether a batch of messages was written; one that was not never will be. ARGV: a new epoch's name, node, number of the batch,
-- epoch and id that the node has read. Answers 1 when it was, 0 when it was not, 2 when that is not known any more.
-- A batch that is given up stands in PREFIX:done with the epoch 0, see publish.lua.
local DONE = P .. ':done'
local done = redis.call('HGET', DONE, ARGV[2])
if not done then
  return 2 -- the node was taken for dead meanwhile, or the server has forgotten, or this was its first batch
end
local known = {}
for batch, epoch, ms, n in done:gmatch('(%d+) (%w+) (%d+) (%d+)') do
  if batch == ARGV[3] then
    return epoch == '0' and 0 or 1
  end
  known[#known + 1] = table.concat({batch, epoch, ms, n}, ' ')
end
enter(ARGV[1])
if ARGV[4] ~= E or (ARGV[5] ~= NEWEST and #redis.call('XRANGE', LOG, ARGV[5], ARGV[5]) == 0) then
  return 2 -- it may have been written, and read, and lost by the server
end
if tonumber(known[1]:match('^%d+')) < tonumber(ARGV[3]) then
  table.insert(known, 1, ARGV[3] .. ' 0 0 0')
  known[9] = nil
  redis.call('HSET', DONE, ARGV[2], table.concat(known, ';'))
end
return 0
