-- Makes and drops the partitions of usage_logs. The functions run with the rights of the tables' owner, so that the worker
-- needs no right to change the schema (see migrations/roles.sql). What they can do is limited to whole months.

-- Creates the partition of a month and returns true, or returns false if it exists. The table is created on its own and
-- then attached, so that inserts into other partitions continue meanwhile. Rows of the month are moved from the default
-- partition first, because Postgres refuses to attach a partition for rows that the default partition has.
CREATE FUNCTION tollgate_make_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	starts CONSTANT timestamp := date_trunc('month', month);
	partition_name CONSTANT text := 'usage_logs_' || to_char(starts, 'YYYY_MM');
	-- The lowest ids of a UUIDv7 of this month and of the next: 48 bits of milliseconds, then zeros.
	lowest CONSTANT uuid := (lpad(to_hex((extract(epoch FROM starts) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	beyond CONSTANT uuid := (lpad(to_hex((extract(epoch FROM starts + interval '1 month') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	columns text;
BEGIN
	PERFORM pg_advisory_xact_lock(1953459312); -- the bytes "tolp": one process changes partitions at a time
	IF to_regclass(partition_name) IS NOT NULL THEN
		RETURN false;
	END IF;
	SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
		FROM pg_attribute WHERE attrelid = 'usage_logs'::regclass AND attnum > 0 AND NOT attisdropped;
	EXECUTE format('CREATE TABLE %I (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition_name);
	-- ATTACH PARTITION below needs both locks, and takes them in this order.
	EXECUTE 'LOCK TABLE ONLY usage_logs IN SHARE UPDATE EXCLUSIVE MODE';
	EXECUTE 'LOCK TABLE usage_logs_default IN ACCESS EXCLUSIVE MODE';
	EXECUTE format('INSERT INTO %I (%s) SELECT %2$s FROM usage_logs_default WHERE id >= $1 AND id < $2', partition_name, columns) USING lowest, beyond;
	EXECUTE 'DELETE FROM usage_logs_default WHERE id >= $1 AND id < $2' USING lowest, beyond;
	EXECUTE format('ALTER TABLE usage_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name, lowest, beyond);
	RETURN true;
END $body$;

-- Drops the partition of a month that has ended and returns true, or returns false if there is none. Postgres has a way to
-- detach with weaker locks, but does not support it for tables with a default partition.
CREATE FUNCTION tollgate_drop_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	starts CONSTANT timestamp := date_trunc('month', month);
	partition_name CONSTANT text := 'usage_logs_' || to_char(starts, 'YYYY_MM');
BEGIN
	IF starts + interval '1 month' > now() AT TIME ZONE 'UTC' THEN
		RAISE EXCEPTION 'usage logs of % cannot be dropped: the month has not ended', to_char(starts, 'YYYY-MM');
	END IF;
	PERFORM pg_advisory_xact_lock(1953459312);
	IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(partition_name) AND inhparent = 'usage_logs'::regclass) THEN
		RETURN false;
	END IF;
	EXECUTE format('ALTER TABLE usage_logs DETACH PARTITION %I', partition_name);
	EXECUTE format('DROP TABLE %I', partition_name);
	RETURN true;
END $body$;

-- A relay may change a token only by hashing it again, which gives it the hash of another pepper.
CREATE FUNCTION tollgate_check_rehash() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF NEW.pepper_id = OLD.pepper_id OR NEW.hash = OLD.hash THEN
		RAISE EXCEPTION 'a relay changes the hash of a token only together with its pepper' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN NEW;
END $body$;
CREATE TRIGGER tokens_are_rehashed BEFORE UPDATE ON tokens FOR EACH ROW WHEN (current_user = 'tollgate_relay')
	EXECUTE FUNCTION tollgate_check_rehash();

-- A caller cannot put tables or functions of its own in place of those that the functions name. Waits for locks are
-- short, because all other statements on the table wait behind them.
DO $body$
BEGIN
	EXECUTE format('ALTER FUNCTION tollgate_make_partition(date) SET search_path = %I, pg_temp', current_schema());
	EXECUTE format('ALTER FUNCTION tollgate_drop_partition(date) SET search_path = %I, pg_temp', current_schema());
END $body$;
ALTER FUNCTION tollgate_make_partition(date) SET lock_timeout = '10s';
ALTER FUNCTION tollgate_drop_partition(date) SET lock_timeout = '1s';
REVOKE EXECUTE ON FUNCTION tollgate_make_partition(date), tollgate_drop_partition(date) FROM PUBLIC;
