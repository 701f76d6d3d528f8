-- Adds slots, or extends their expiry if they exist.
-- KEYS: the counters. ARGV: the lifetime in microseconds; then for each key the request's id.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local life = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, string.format('%.0f', now + life), ARGV[i + 1])
  redis.call('PEXPIRE', key, string.format('%.0f', math.ceil(life / 1000)))
end
return 1
