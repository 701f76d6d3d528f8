-- Extends the expiry of slots.
-- KEYS: the counters. ARGV: the lifetime in microseconds; then for each key the request's id.
-- Returns the indexes of the slots that don't exist, because their requests have ended or because Redis lost its data.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local life = tonumber(ARGV[1])
local missing = {}
for i, key in ipairs(KEYS) do
  if redis.call('ZSCORE', key, ARGV[i + 1]) then
    redis.call('ZADD', key, string.format('%.0f', now + life), ARGV[i + 1])
    redis.call('PEXPIRE', key, string.format('%.0f', math.ceil(life / 1000)))
  else
    table.insert(missing, i)
  end
end
return missing
