-- Drops the indexes of rollups until all rollups are inserted, which is faster than updating them for each row. The
-- table "indexes" keeps their definitions for totals.sql.
CREATE TABLE indexes AS
SELECT i.indexrelid::regclass::text AS index, i.indrelid::regclass::text AS target,
	pg_get_indexdef(i.indexrelid) AS plain, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
FROM pg_index AS i LEFT JOIN pg_constraint AS c ON c.conindid = i.indexrelid
WHERE i.indrelid IN ('usage_rollups_hourly'::regclass, 'usage_rollups_daily'::regclass,
	'usage_totals_hourly'::regclass, 'usage_totals_daily'::regclass);
DO $$ DECLARE r record; BEGIN
	FOR r IN SELECT * FROM indexes LOOP
		IF r.name IS NULL THEN EXECUTE 'DROP INDEX ' || r.index;
		ELSE EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.target, r.name); END IF;
	END LOOP;
END $$;
