-- Puts slots in place. KEYS: the counts of slots. ARGV: the life in
-- microseconds, and for each key the call's id.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local life = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, string.format('%.0f', now + life), ARGV[i + 1])
  redis.call('PEXPIRE', key, string.format('%.0f', math.ceil(life / 1000)))
end
return 1
