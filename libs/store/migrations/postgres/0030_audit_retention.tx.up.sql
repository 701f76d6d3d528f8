-- Where the chain of a tenant begins after its oldest links were deleted: number and hash of the last deleted link.
CREATE TABLE audit_anchors (
	tenant_id uuid PRIMARY KEY,
	seq bigint NOT NULL,
	hash bytea NOT NULL
);
SELECT tollgate_wall('audit_anchors', 'tenant_id = (SELECT tollgate_tenant())', '');

-- Deletes the oldest entries of a tenant (zeros: of the platform): at most batch entries with a link and batch entries
-- without one. It deletes only entries whose id, which begins with the time of writing, is older than before. It refuses a
-- time of the last 30 days, so a program that may call it, and may not delete rows itself, cannot remove recent entries. The
-- newest link stays, so that the chain continues from it. last_seq and last_hash are those of the new anchor, null if no
-- link was deleted.
CREATE FUNCTION prune_audit_log(of_tenant uuid, before timestamptz, batch integer, OUT last_seq bigint, OUT last_hash bytea, OUT deleted bigint)
LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	bound uuid;
	upto bigint;
	unlinked bigint;
BEGIN
	IF before IS NULL OR before < 'epoch' OR before > now() - interval '30 days' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'prune_audit_log: before must be at least 30 days ago';
	END IF;
	IF batch IS NULL OR batch NOT BETWEEN 1 AND 10000 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'prune_audit_log: batch must be between 1 and 10000';
	END IF;
	bound := (lpad(to_hex(floor(extract(epoch FROM before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	INSERT INTO audit_anchors VALUES (of_tenant, 0, '') ON CONFLICT DO NOTHING;
	PERFORM 1 FROM audit_anchors WHERE tenant_id = of_tenant FOR UPDATE; -- one call at a time

	SELECT least(coalesce(min(c.seq) FILTER (WHERE c.entry_id >= bound) - 1, max(c.seq)),
			(SELECT max(seq) - 1 FROM audit_chain WHERE tenant_id = of_tenant))
		INTO upto FROM (SELECT seq, entry_id FROM audit_chain WHERE tenant_id = of_tenant ORDER BY seq LIMIT batch) AS c;
	SELECT seq, hash INTO last_seq, last_hash FROM audit_chain WHERE tenant_id = of_tenant AND seq <= upto ORDER BY seq DESC LIMIT 1;
	UPDATE audit_anchors SET seq = last_seq, hash = last_hash WHERE tenant_id = of_tenant AND last_seq IS NOT NULL;
	WITH links AS (DELETE FROM audit_chain WHERE tenant_id = of_tenant AND seq <= upto RETURNING entry_id),
		gone AS (DELETE FROM audit_log USING links WHERE id = links.entry_id RETURNING id)
		SELECT count(*) INTO deleted FROM gone;

	WITH old AS (SELECT id FROM audit_log AS r WHERE (r.tenant_id = of_tenant OR r.tenant_id IS NULL AND of_tenant = uuid '00000000-0000-0000-0000-000000000000')
			AND r.id < bound AND NOT EXISTS (SELECT FROM audit_chain AS c WHERE c.entry_id = r.id) LIMIT batch),
		gone AS (DELETE FROM audit_log AS r USING old WHERE r.id = old.id RETURNING r.id)
		SELECT count(*) INTO unlinked FROM gone;
	deleted := deleted + unlinked;
END $body$;

-- The function runs with the rights of its owner. So it finds its tables in this schema whatever the caller's search_path is.
DO $body$
BEGIN
	EXECUTE format('ALTER FUNCTION prune_audit_log(uuid, timestamptz, integer) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $body$;
REVOKE EXECUTE ON FUNCTION prune_audit_log(uuid, timestamptz, integer) FROM PUBLIC;
