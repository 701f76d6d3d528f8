-- Row-level security, the second line of defense between tenants. What the store does for a user of a tenant, it does as
-- the role tollgate_tenant. That role has only the permissions that are granted here. Tables with a "wall" (policies that
-- tollgate_wall creates) show it only the rows of the tenant that the transaction names, whatever a statement asks for.
-- Nobody can log in as this role.
--
-- Roles belong to the whole cluster: the first database that is migrated creates this one.
DO $body$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_tenant') THEN
		CREATE ROLE tollgate_tenant NOLOGIN;
	END IF;
EXCEPTION
	WHEN duplicate_object OR unique_violation THEN
		NULL; -- created just now, by the migration of another database
	WHEN insufficient_privilege THEN
		RAISE insufficient_privilege USING MESSAGE = format(
			'%I may not create the role tollgate_tenant; a superuser may: CREATE ROLE tollgate_tenant NOLOGIN; GRANT tollgate_tenant TO %I', current_user, current_user);
END $body$;

-- The user that connects must be able to switch to the role. To check membership is not enough: the creator of a role is
-- a member and may still be unable to switch to it. So this tries the switch.
DO $body$
BEGIN
	SET LOCAL ROLE tollgate_tenant;
	RESET ROLE;
EXCEPTION WHEN insufficient_privilege THEN
	BEGIN
		EXECUTE format('GRANT tollgate_tenant TO %I', current_user);
	EXCEPTION
		WHEN unique_violation THEN
			NULL; -- granted just now, by the migration of another database
		WHEN insufficient_privilege THEN
			RAISE insufficient_privilege USING MESSAGE = format(
				'%I may not become the role tollgate_tenant; a superuser may let it: GRANT tollgate_tenant TO %I', current_user, current_user);
	END;
END $body$;

DO $body$
BEGIN
	IF NOT has_schema_privilege('tollgate_tenant', current_schema(), 'USAGE') THEN
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO tollgate_tenant', current_schema());
	END IF;
END $body$;

-- The tenant and the user that the transaction is limited to. A null user means all users of the tenant.
CREATE FUNCTION tollgate_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.tenant', true), '')::uuid
$body$;
CREATE FUNCTION tollgate_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.user', true), '')::uuid
$body$;

-- Puts a wall around a table. own is the condition for the rows that the tenant may see, granted lists the permissions of
-- the tenant role on the table, '' for none. "IS TRUE" around own keeps Postgres from choosing an index for it: queries
-- name the tenant themselves, and their plans stay the same as without a wall.
CREATE FUNCTION tollgate_wall(walled regclass, own text, granted text) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
	EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
	EXECUTE format('CREATE POLICY everybody ON %s USING (true)', walled);
	EXECUTE format('CREATE POLICY own ON %s AS RESTRICTIVE TO tollgate_tenant USING ((%s) IS TRUE)', walled, own);
	IF granted <> '' THEN
		EXECUTE format('GRANT %s ON %s TO tollgate_tenant', granted, walled);
	END IF;
END $body$;

-- The same for a table whose rows have a tenant and a user: members see only their own rows.
CREATE FUNCTION tollgate_wall(walled regclass, granted text) RETURNS void LANGUAGE sql AS $body$
	SELECT tollgate_wall(walled, 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id = (SELECT tollgate_user()))', granted)
$body$;

SELECT tollgate_wall('tokens', 'SELECT, INSERT, UPDATE');
SELECT tollgate_wall('usage_logs', 'SELECT');
SELECT tollgate_wall('usage_outbox', 'SELECT');
SELECT tollgate_wall('usage_rollups_hourly', 'SELECT');
SELECT tollgate_wall('usage_rollups_daily', 'SELECT');
SELECT tollgate_wall('responses', '');
SELECT tollgate_wall('sessions', 'SELECT, DELETE');
SELECT tollgate_wall('totps', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('recovery_codes', 'SELECT, INSERT, DELETE');
SELECT tollgate_wall('passkeys', 'SELECT, INSERT, UPDATE (name), DELETE');
SELECT tollgate_wall('identities', 'SELECT, DELETE');
SELECT tollgate_wall('access_keys', 'SELECT, INSERT, UPDATE (name), DELETE'); -- locking a row requires permission to update a column
SELECT tollgate_wall('jobs', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('job_parts', 'SELECT, DELETE');
-- Users create and delete these for other users, and only programs read them.
SELECT tollgate_wall('password_resets', 'SELECT (id, tenant_id, user_id), INSERT, DELETE');
SELECT tollgate_wall('challenges', 'SELECT (tenant_id, user_id), DELETE');

SELECT tollgate_wall('tenants', 'id = (SELECT tollgate_tenant())', 'SELECT, UPDATE (name)');
SELECT tollgate_wall('users', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE');
SELECT tollgate_wall('audit_log', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR actor_id = (SELECT tollgate_user()))', 'SELECT, INSERT');

SELECT tollgate_wall('invitations', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT, UPDATE (hash, status, sent_at, expires_at)');

-- Members see the account and the caps of their tenant besides their own accounts, but not its ledger and its totals.
SELECT tollgate_wall('accounts', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (granted)');
SELECT tollgate_wall('caps', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (amount)');
SELECT tollgate_wall('ledger', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_hourly', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_daily', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('reconcile_drifts', 'tenant_id = (SELECT tollgate_tenant())', '');

-- Objects of the platform that every tenant may read. Of channels, the URL and the credentials stay hidden.
GRANT SELECT ON groups, models, prices, group_rules, change_feed TO tollgate_tenant;
GRANT SELECT (id, name, type, dialects, models, priority, weight, status, created_at, on_disconnect) ON channels TO tollgate_tenant;
