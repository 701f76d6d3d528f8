SET work_mem = '1GB';
INSERT INTO usage_rollups_hourly
SELECT date_trunc('hour', created_at, 'UTC'), tenant_id, user_id, token_id, model, channel_id, count(*),
	count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'partial'),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_logs GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 1;
INSERT INTO usage_rollups_daily
SELECT date_trunc('day', start, 'UTC'), tenant_id, user_id, token_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_rollups_hourly GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO usage_totals_hourly
SELECT start, tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_rollups_hourly GROUP BY 1, 2, 3, 4;
INSERT INTO usage_totals_hourly
SELECT start, '00000000-0000-0000-0000-000000000000'::uuid, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_totals_hourly GROUP BY 1, 2, 3, 4;
INSERT INTO usage_totals_daily
SELECT date_trunc('day', start, 'UTC'), tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_totals_hourly GROUP BY 1, 2, 3, 4;
