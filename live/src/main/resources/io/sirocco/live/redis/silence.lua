-- SPDX-License-Identifier: Apache-2.0
-- ARGV: key, how often, milliseconds of silence. Answers 1 when it is not more than that.
-- PREFIX:silence:KEY is the number of tries since the last silence.
local key = P .. ':silence:' .. ARGV[1]
local tries = redis.call('INCR', key)
redis.call('PEXPIRE', key, ARGV[3])
return tries <= tonumber(ARGV[2]) and 1 or 0
