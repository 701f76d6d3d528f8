-- Gives slots another life. KEYS: the counts of slots. ARGV: the life in
-- microseconds, and for each key the call's id. Returns which of them are not
-- there: their calls have ended meanwhile, or they were lost.
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
