-- Rows of usage_logs for one month, appended to an INSERT. load.go creates the tables "span" (number of logs,
-- start, step) and "sizes". Half of the calls belong to the first tenant; the shares of the other tenants fall
-- steeply, as do those of users and tokens in a tenant. A token calls three models; a model has two channels. The ids
-- end in a counter instead of random bits, which a compressing file system stores in less.
(id, created_at, tenant_id, user_id, token_id, group_id, channel_id, relay_id, price_id, rule_id, quota, cost,
	input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens,
	output_tokens, reasoning_tokens, audio_output_tokens,
	latency_us, first_byte_us, status, stream, estimated, outcome, model, upstream_model, dialect, error, attempts)
SELECT id, at, tenant_id, user_id, token_id, md5('group')::uuid, channel, md5('relay')::uuid, md5('price')::uuid, NULL,
	quota, quota, 900, 100, 0, 0, 300, 0, 0,
	2500000, 400000, CASE outcome WHEN 'failed' THEN 502 ELSE 200 END, i % 2 = 0, false, outcome,
	model, model, 'chat', CASE outcome WHEN 'success' THEN '' ELSE 'upstream_error' END,
	('[{"channel_id":"' || channel || '","status":200,"elapsed_ns":400000000}]')::json
FROM (
	SELECT *, md5('channel-' || (m + (r5 * r5 * 2)::integer) % 8)::uuid AS channel,
		CASE outcome WHEN 'failed' THEN 0 ELSE 315000 END AS quota
	FROM (
		SELECT picked.*, tenant_id, user_id, token_id, (p.n * 7 + floor(r4 ^ 3 * 3)::integer) % 10 AS m,
			(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008' ||
				lpad(to_hex(i), 15, '0'))::uuid AS id,
			CASE WHEN oldest AND i % 100 = 7 THEN 'model-retired' WHEN i % 20011 = 11 THEN 'model-rare'
				ELSE 'model-' || (p.n * 7 + floor(r4 ^ 3 * 3)::integer) % 10 END AS model,
			CASE WHEN i % 50 = 3 THEN 'failed' WHEN i % 100 = 5 THEN 'partial' ELSE 'success' END AS outcome
		FROM (
			SELECT *, CASE
				WHEN oldest AND i % 100 = 7 THEN big * tokens - 1
				WHEN r1 < 0.5 THEN floor(big * r2 ^ 2)::integer * tokens + floor(tokens * r3 ^ 2)::integer
				ELSE big * tokens + floor(tokens * r3 ^ 2)::integer + tokens *
					(floor((firms - 1) * (r1 * 2 - 1) ^ 3)::integer * small + floor(small * r2 ^ 2)::integer)
				END AS pick
			FROM (
				SELECT i, start + i * step AS at, oldest,
					random() AS r1, random() AS r2, random() AS r3, random() AS r4, random() AS r5
				FROM span, generate_series(0, n - 1) AS i
			) AS drawn, sizes
		) AS picked JOIN people AS p ON p.n = picked.pick -
			CASE WHEN pick = big * tokens - 1 AND NOT (oldest AND i % 100 = 7) THEN 1 ELSE 0 END
	) AS called
) AS served
