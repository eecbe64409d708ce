-- SPDX-License-Identifier: Apache-2.0
-- A node begins to read, or goes on. ARGV: a new epoch's name, the node's epoch and id; both empty for one that begins.
-- Answers epoch, the id behind which to read, and why something is missing, or nothing.
enter(ARGV[1])
local epoch, id = ARGV[2], ARGV[3]
if epoch == '' then
  return {E, NEWEST, ''}
end
if epoch ~= E then
  return {E, redis.call('HGET', META, 'mark'), 'the broker has begun anew'}
end
if id == NEWEST or #redis.call('XRANGE', LOG, id, id) > 0 then
  return {E, id, ''}
end
local _, n = parse(id)
local oldest = redis.call('XRANGE', LOG, '-', '+', 'COUNT', 1)[1]
if oldest and before(id, oldest[1]) then
  local ms, first = parse(oldest[1])
  if first == n + 1 then
    return {E, id, ''}
  end
  if first > n then
    return {E, text(ms - 1) .. '-' .. text(first - 1), 'the log was trimmed before this node had read it'}
  end
elseif not oldest and before(id, NEWEST) then
  return {E, NEWEST, 'the log was trimmed before this node had read it'}
end
-- What this node has read is not there, though older is: the broker came back with less than it had.
begin(ARGV[1])
return {E, NEWEST, 'the broker has lost its newest messages'}
