-- SPDX-License-Identifier: Apache-2.0
-- For wrk: `-s pipeline.lua URL -- 16` sends the request that many times in one write.
function init(arguments)
   local depth = tonumber(arguments[1]) or 16
   local one = wrk.format("GET", wrk.path)
   wrk.pipelined = string.rep(one, depth)
end

function request()
   return wrk.pipelined
end
