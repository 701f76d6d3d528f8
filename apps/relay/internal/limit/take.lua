-- Takes all claims of a request, or none.
-- KEYS: the counters.
-- ARGV: the request's id; the lifetime of a slot in microseconds; then for each key its kind ("slot" or "bucket"), the
--   amount that the claim adds to the counter's state, and the highest state that is allowed.
-- Returns 1 if all claims were taken, else 0; then for each key the state after the call: slots in use, or microseconds
--   until the bucket is full.
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
