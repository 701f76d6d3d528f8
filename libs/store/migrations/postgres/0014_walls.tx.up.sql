-- The second wall between tenants. What the store does for a tenant's user it
-- does as the role tollgate_tenant, which reaches only what is granted here, and
-- of tables with a wall only the rows of the tenant that the transaction names,
-- whatever a statement asks for. Nobody signs in as it.
--
-- Roles belong to the whole cluster: whichever database is migrated first makes
-- this one.
DO $body$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_tenant') THEN
		CREATE ROLE tollgate_tenant NOLOGIN;
	END IF;
EXCEPTION
	WHEN duplicate_object OR unique_violation THEN
		NULL; -- made just now, for another database
	WHEN insufficient_privilege THEN
		RAISE insufficient_privilege USING MESSAGE = format(
			'%I may not create the role tollgate_tenant; a superuser may: CREATE ROLE tollgate_tenant NOLOGIN; GRANT tollgate_tenant TO %I', current_user, current_user);
END $body$;

-- Who connects must be able to become the role. To ask whether he is a member
-- does not tell: who made a role is one, and may yet not become it.
DO $body$
BEGIN
	SET LOCAL ROLE tollgate_tenant;
	RESET ROLE;
EXCEPTION WHEN insufficient_privilege THEN
	BEGIN
		EXECUTE format('GRANT tollgate_tenant TO %I', current_user);
	EXCEPTION
		WHEN unique_violation THEN
			NULL; -- granted just now, for another database
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

-- Whom the transaction is for. There is no user where all of the tenant's are meant.
CREATE FUNCTION tollgate_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.tenant', true), '')::uuid
$body$;
CREATE FUNCTION tollgate_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.user', true), '')::uuid
$body$;

-- Puts a wall around a table: own tells the rows that are the tenant's, granted
-- what the tenant's role may do with them, '' for nothing. Own is wrapped so that
-- no index is chosen for it: queries name the tenant themselves, and their plans
-- stay what they are without a wall.
CREATE FUNCTION tollgate_wall(walled regclass, own text, granted text) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
	EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
	EXECUTE format('CREATE POLICY everybody ON %s USING (true)', walled);
	EXECUTE format('CREATE POLICY own ON %s AS RESTRICTIVE TO tollgate_tenant USING ((%s) IS TRUE)', walled, own);
	IF granted <> '' THEN
		EXECUTE format('GRANT %s ON %s TO tollgate_tenant', granted, walled);
	END IF;
END $body$;

-- The same for a table whose rows have a tenant and a user: members reach their own.
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
SELECT tollgate_wall('access_keys', 'SELECT, INSERT, UPDATE (name), DELETE'); -- to lock a row takes leave to change something
SELECT tollgate_wall('jobs', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('job_parts', 'SELECT, DELETE');
-- Made for others and ended for them, and read by programs alone.
SELECT tollgate_wall('password_resets', 'SELECT (id, tenant_id, user_id), INSERT, DELETE');
SELECT tollgate_wall('challenges', 'SELECT (tenant_id, user_id), DELETE');

SELECT tollgate_wall('tenants', 'id = (SELECT tollgate_tenant())', 'SELECT, UPDATE (name)');
SELECT tollgate_wall('users', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE');
SELECT tollgate_wall('audit_log', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR actor_id = (SELECT tollgate_user()))', 'SELECT, INSERT');

SELECT tollgate_wall('invitations', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT, UPDATE (hash, status, sent_at, expires_at)');

-- Members see their tenant's wallet and caps beside their own accounts, but
-- neither its ledger nor its totals.
SELECT tollgate_wall('accounts', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (granted)');
SELECT tollgate_wall('caps', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (amount)');
SELECT tollgate_wall('ledger', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_hourly', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_daily', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('reconcile_drifts', 'tenant_id = (SELECT tollgate_tenant())', '');

-- What is the platform's, and shown to all. Of channels that is not where they
-- lead and with which credentials.
GRANT SELECT ON groups, models, prices, group_rules, change_feed TO tollgate_tenant;
GRANT SELECT (id, name, type, dialects, models, priority, weight, status, created_at, on_disconnect) ON channels TO tollgate_tenant;
