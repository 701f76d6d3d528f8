SET work_mem = '1GB';
SET maintenance_work_mem = '1GB';
-- Rollups are inserted in the order of time, as workers write them. Dropping the indexes before and creating
-- them again at the end is faster than updating them for each row.
CREATE TEMPORARY TABLE indexes AS
SELECT i.indexrelid::regclass::text AS index, i.indrelid::regclass::text AS target, pg_get_indexdef(i.indexrelid) AS plain,
	c.conname AS name, pg_get_constraintdef(c.oid) AS definition
FROM pg_index AS i LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid
WHERE i.indrelid IN ('usage_rollups_hourly'::regclass, 'usage_rollups_daily'::regclass, 'usage_totals_hourly'::regclass, 'usage_totals_daily'::regclass);
DO $$ DECLARE r record; BEGIN
	FOR r IN SELECT * FROM indexes LOOP
		IF r.name IS NULL THEN EXECUTE 'DROP INDEX ' || r.index;
		ELSE EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.target, r.name); END IF;
	END LOOP;
END $$;
INSERT INTO usage_rollups_hourly
SELECT date_trunc('hour', created_at, 'UTC'), tenant_id, user_id, token_id, model, channel_id, count(*),
	count(*) FILTER (WHERE outcome = 'failed'), count(*) FILTER (WHERE outcome = 'partial'),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_logs GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1;
INSERT INTO usage_rollups_daily
SELECT date_trunc('day', start, 'UTC'), tenant_id, user_id, token_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_rollups_hourly GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1;
INSERT INTO usage_totals_hourly
SELECT start, tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_rollups_hourly GROUP BY 1, 2, 3, 4 ORDER BY 1;
INSERT INTO usage_totals_hourly
SELECT start, '00000000-0000-0000-0000-000000000000'::uuid, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_totals_hourly GROUP BY 1, 2, 3, 4 ORDER BY 1;
INSERT INTO usage_totals_daily
SELECT date_trunc('day', start, 'UTC'), tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial),
	sum(input_tokens), sum(cached_input_tokens), 0, 0, sum(output_tokens), 0, 0, sum(quota)
FROM usage_totals_hourly GROUP BY 1, 2, 3, 4 ORDER BY 1;
DO $$ DECLARE r record; BEGIN
	FOR r IN SELECT * FROM indexes LOOP
		IF r.name IS NULL THEN EXECUTE r.plain;
		ELSE EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.target, r.name, r.definition); END IF;
	END LOOP;
END $$;
