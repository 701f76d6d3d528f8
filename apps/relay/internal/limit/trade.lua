-- Moves units between buckets and the shares that a relay has of them.
-- KEYS: the buckets.
-- ARGV: the largest debt of a bucket in microseconds; then for each key the microseconds that the bucket must take
--   (negative to give back), the microseconds to take in addition if there is room, and the highest level with room.
-- Returns for each key the microseconds taken in addition, and the bucket's level after the call.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local result = {}
for i, key in ipairs(KEYS) do
  local level = math.max(0, tonumber(redis.call('GET', key) or now) - now) + tonumber(ARGV[3 * i - 1])
  level = math.max(0, math.min(level, tonumber(ARGV[1])))
  local got = math.max(0, math.min(tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]) - level))
  level = level + got
  if level > 0 then
    redis.call('SET', key, string.format('%.0f', now + level), 'PX', string.format('%.0f', math.ceil(level / 1000)))
  else
    redis.call('DEL', key)
  end
  result[2 * i - 1], result[2 * i] = got, level
end
return result
