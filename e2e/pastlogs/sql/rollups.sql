-- Computes the rollups of a month in the order of time, as workers write them, into two tables. load.go replaces
-- PARTITION by the table of the month.
CREATE TABLE PARTITION_hours (LIKE usage_rollups_hourly);
CREATE TABLE PARTITION_days (LIKE usage_rollups_hourly);
INSERT INTO PARTITION_hours
SELECT date_trunc('hour', created_at, 'UTC'), tenant_id, user_id, token_id, model, channel_id, count(*),
	count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'partial'),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM PARTITION GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1;
INSERT INTO PARTITION_days
SELECT date_trunc('day', start, 'UTC'), tenant_id, user_id, token_id, model, channel_id,
	sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM PARTITION_hours GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1;
