-- Removes slots and corrects buckets.
-- KEYS: the counters.
-- ARGV: the largest debt of a bucket in microseconds; then for each key "slot" and the request's id, or "bucket" and
--   the microseconds to take in addition (negative to give back).
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i, key in ipairs(KEYS) do
  if ARGV[2 * i] == 'slot' then
    redis.call('ZREM', key, ARGV[2 * i + 1])
  else
    local full = math.max(now, tonumber(redis.call('GET', key) or now)) + tonumber(ARGV[2 * i + 1])
    full = math.min(full, now + tonumber(ARGV[1]))
    if full > now then
      redis.call('SET', key, string.format('%.0f', full), 'PX', string.format('%.0f', math.ceil((full - now) / 1000)))
    else
      redis.call('DEL', key)
    end
  end
end
return 1
