-- Takes all claims, or none. KEYS: what is counted. ARGV: the call's id, the
-- life of a slot in microseconds, and for each key its kind, what the claim adds
-- to what is seen there, and what that may come to. Returns 1 where all were
-- taken, else 0, and for each key what is seen there now: microseconds until
-- the bucket is full, or slots in use.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local life = tonumber(ARGV[2])
local admitted, seen = 1, {}
for i, key in ipairs(KEYS) do
  if ARGV[3 * i] == 'slot' then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
    seen[i] = redis.call('ZCARD', key)
  else
    seen[i] = math.max(0, (tonumber(redis.call('GET', key) or now) - now))
  end
  if seen[i] + tonumber(ARGV[3 * i + 1]) > tonumber(ARGV[3 * i + 2]) then
    admitted = 0
  end
end
if admitted == 1 then
  for i, key in ipairs(KEYS) do
    seen[i] = seen[i] + tonumber(ARGV[3 * i + 1])
    if ARGV[3 * i] == 'slot' then
      redis.call('ZADD', key, string.format('%.0f', now + life), ARGV[1])
      redis.call('PEXPIRE', key, string.format('%.0f', math.ceil(life / 1000)))
    else
      redis.call('SET', key, string.format('%.0f', now + seen[i]), 'PX', string.format('%.0f', math.ceil(seen[i] / 1000)))
    end
  end
end
table.insert(seen, 1, admitted)
return seen
