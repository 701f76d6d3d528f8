-- Inserts the totals and builds the indexes of rollups again.
SET work_mem = '1GB';
SET maintenance_work_mem = '1GB';
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
