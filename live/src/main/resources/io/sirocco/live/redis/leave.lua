-- SPDX-License-Identifier: Apache-2.0
-- Connections leave rooms. ARGV: a new epoch's name, node; then of each the room with its length, and the client.
enter(ARGV[1])
local newest = N
for i = 3, #ARGV do
  leave(ARGV[2], ARGV[i])
end
if N > newest then
  settle()
end
return #ARGV
