-- Postgres roles with the fewest rights: one that migrates and owns the tables, and one for each program. It is optional:
-- without it all programs connect as the owner. docs/security.md ("One database role for each program") describes it.
--
--   tollgate_owner    runs `console migrate` and owns the tables; no program needs it at run time. If the tables exist
--                     already, their present owner keeps this part, whatever its name is
--   tollgate_console  the console and its commands but migrate
--   tollgate_relay    relays
--   tollgate_worker   workers
--   tollgate_tenant, tollgate_worker_tenant
--                     nobody signs in as these: the console and the worker switch to them for the work of a tenant's user,
--                     and row-level security then shows the rows of that tenant only
--
-- How to use it, with the database's name in place of "tollgate":
--
--   1. Run the file as an administrator who may create roles:    psql -v ON_ERROR_STOP=1 -d tollgate -f roles.sql
--   2. Give each role that signs in a password, in psql:         \password tollgate_relay
--   3. Run `console migrate` as the owner. It runs this file again, so that new tables get their rights.
--   4. Start each program with the TOLLGATE_DATABASE_URL of its own role.
--
-- The file may run at any time and any number of times, before and after the tables exist, as an administrator or as the
-- owner. It creates what is missing, and replaces the rights of the programs' roles on Tollgate's tables by those below.

BEGIN;
SET LOCAL lock_timeout = '10s';
SET LOCAL client_min_messages = warning;

DO $roles$
DECLARE
	needed record;
BEGIN
	-- NOINHERIT: the console and the worker have the rights of a role for tenants only while they have switched to it.
	-- With inherited rights, row-level security would hide all rows from their own work.
	FOR needed IN SELECT * FROM (VALUES
		('tollgate_owner', 'LOGIN'), ('tollgate_console', 'LOGIN NOINHERIT'), ('tollgate_relay', 'LOGIN NOINHERIT'),
		('tollgate_worker', 'LOGIN NOINHERIT'), ('tollgate_tenant', 'NOLOGIN'), ('tollgate_worker_tenant', 'NOLOGIN')
	) AS roles (name, attributes) LOOP
		CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = needed.name);
		CONTINUE WHEN needed.name = 'tollgate_owner' AND to_regclass('tenants') IS NOT NULL; -- the tables have an owner
		BEGIN
			EXECUTE format('CREATE ROLE %I %s', needed.name, needed.attributes);
		EXCEPTION WHEN duplicate_object OR unique_violation THEN
			NULL; -- created just now, for another database of the server
		END;
	END LOOP;
	FOR needed IN SELECT * FROM (VALUES
		('tollgate_tenant', 'tollgate_owner'), ('tollgate_tenant', 'tollgate_console'), ('tollgate_worker_tenant', 'tollgate_worker')
	) AS members (name, member) LOOP
		CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = needed.member) OR pg_has_role(needed.member, needed.name, 'MEMBER');
		BEGIN
			EXECUTE format('GRANT %I TO %I', needed.name, needed.member);
		EXCEPTION WHEN unique_violation THEN
			NULL; -- granted just now, for another database of the server
		END;
	END LOOP;
	FOR needed IN SELECT a.rolname AS member, b.rolname AS name FROM pg_roles AS a, pg_roles AS b
		WHERE (a.rolname IN ('tollgate_console', 'tollgate_relay', 'tollgate_worker') AND pg_has_role(a.oid, b.oid, 'USAGE') AND b.oid <> a.oid)
		OR (a.rolname = 'tollgate_relay' AND pg_has_role(a.oid, b.oid, 'MEMBER') AND b.oid <> a.oid) LOOP
		RAISE EXCEPTION '% must not have the rights of %', needed.member, needed.name
			USING HINT = format('REVOKE %I FROM %I; ALTER ROLE %2$I NOSUPERUSER NOINHERIT; then run this file again', needed.name, needed.member);
	END LOOP;
	-- Relays record usage with COPY, which Postgres refuses for a role that row-level security applies to. Its policies hide
	-- nothing from the relay's role, so that the attribute only has an effect on COPY. Without it, relays use a slower way.
	IF NOT (SELECT rolbypassrls FROM pg_roles WHERE rolname = 'tollgate_relay') THEN
		BEGIN
			ALTER ROLE tollgate_relay BYPASSRLS;
		EXCEPTION WHEN insufficient_privilege THEN
			RAISE WARNING 'tollgate_relay has no BYPASSRLS, so relays record usage in a slower way: a superuser may ALTER ROLE tollgate_relay BYPASSRLS';
		END;
	END IF;
END $roles$;

DO $schema$
DECLARE
	needed text;
BEGIN
	-- Only the owner may create tables and functions.
	IF has_schema_privilege('tollgate_relay', current_schema(), 'CREATE') THEN
		BEGIN
			EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
		EXCEPTION WHEN insufficient_privilege THEN NULL;
		END;
		IF has_schema_privilege('tollgate_relay', current_schema(), 'CREATE') THEN
			RAISE WARNING 'every role may create tables in the schema %: its owner may REVOKE CREATE ON SCHEMA % FROM PUBLIC', current_schema(), current_schema();
		END IF;
	END IF;
	-- `console migrate` runs this file again for a schema on which tollgate_relay has this right itself, and not as PUBLIC.
	FOREACH needed IN ARRAY ARRAY['tollgate_console', 'tollgate_relay', 'tollgate_worker', 'tollgate_worker_tenant'] LOOP
		IF NOT EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) AS granted WHERE nspname = current_schema() AND granted.grantee = needed::regrole) THEN
			EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), needed);
		END IF;
	END LOOP;
	IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_owner') AND NOT has_schema_privilege('tollgate_owner', current_schema(), 'CREATE') THEN
		EXECUTE format('GRANT USAGE, CREATE ON SCHEMA %I TO tollgate_owner', current_schema());
	END IF;
	IF NOT has_database_privilege('tollgate_relay', current_database(), 'TEMPORARY') THEN
		EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO tollgate_relay', current_database()); -- a table to sort out repeated usage events
	END IF;
END $schema$;

DO $rights$
DECLARE
	existing record;
BEGIN
	IF to_regclass('tenants') IS NULL THEN
		RETURN; -- no tables yet: `console migrate` runs this file again
	END IF;

	-- Whatever an earlier version of this file granted.
	FOR existing IN SELECT c.oid::regclass AS name FROM pg_class AS c JOIN pg_class AS t ON t.oid = to_regclass('tenants')
		WHERE c.relnamespace = t.relnamespace AND c.relowner = t.relowner AND c.relkind IN ('r', 'p') LOOP
		EXECUTE format('REVOKE ALL ON %s FROM tollgate_console, tollgate_relay, tollgate_worker, tollgate_worker_tenant', existing.name);
	END LOOP;
	-- Row-level security treats the role of the worker's tenants as the one of all others. ALTER POLICY locks the table, so
	-- it is done once.
	FOR existing IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_policies
		WHERE schemaname = current_schema() AND policyname = 'own' AND NOT 'tollgate_worker_tenant' = ANY (roles) LOOP
		EXECUTE format('ALTER POLICY own ON %s TO tollgate_tenant, tollgate_worker_tenant', existing.name);
	END LOOP;

	-- Every program reads the version of the schema.
	GRANT SELECT ON bun_migrations TO tollgate_console, tollgate_relay, tollgate_worker;

	-- Every program announces changes, and writes entries of the audit log. No program changes or deletes an entry, and
	-- only the console reads them. Entries of the ledger are not changed either.
	GRANT SELECT, UPDATE (version) ON change_feed TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT SELECT, INSERT ON changes TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT DELETE ON changes TO tollgate_worker;
	GRANT INSERT ON audit_log TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT SELECT ON audit_log TO tollgate_console;
	GRANT SELECT, INSERT ON audit_chain TO tollgate_console;
	GRANT SELECT ON audit_chain_start, audit_anchors TO tollgate_console;
	GRANT INSERT ON audit_days TO tollgate_console;
	GRANT SELECT (day), DELETE ON audit_days TO tollgate_worker;
	-- The worker deletes entries that are older than 30 days, with a function of the owner.
	GRANT SELECT (id, tenant_id) ON audit_log TO tollgate_worker;
	GRANT EXECUTE ON FUNCTION prune_audit_log(uuid, timestamptz, integer) TO tollgate_worker;
	GRANT SELECT, INSERT ON ledger TO tollgate_console, tollgate_worker;

	-- People. Only the console reads password hashes. The worker applies manifests, which may create people.
	GRANT SELECT ON tenants TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT INSERT, UPDATE ON tenants TO tollgate_console, tollgate_worker;
	GRANT SELECT, INSERT, UPDATE ON users TO tollgate_console;
	GRANT SELECT (id, tenant_id, address, owned_at, proof, role, group_id, status, language, created_at, limit_requests, limit_tokens, limit_concurrency)
		ON users TO tollgate_relay, tollgate_worker;
	GRANT INSERT, UPDATE ON users TO tollgate_worker;

	-- Ways to sign in. The worker deletes what has expired and creates the resets that people ask for; it reads no secret. A
	-- manifest that it applies can take an address from an account, which loses all ways to sign in.
	GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, invitations, password_resets, access_keys, totps, recovery_codes, passkeys, identities, challenges, issuers, issuer_domains
		TO tollgate_console;
	GRANT SELECT (id, user_id, expires_at), DELETE ON sessions, access_keys TO tollgate_worker;
	GRANT SELECT (user_id, expires_at), DELETE ON challenges TO tollgate_worker;
	GRANT SELECT (user_id), DELETE ON totps, recovery_codes, passkeys, identities TO tollgate_worker;
	GRANT SELECT (id, status, email, expires_at), DELETE ON invitations TO tollgate_worker;
	GRANT SELECT (id, tenant_id, user_id, proof, created_at, expires_at), INSERT, DELETE ON password_resets TO tollgate_worker;

	-- Tokens. Their hashes are keyed with the secret key, so that they are no credentials. A relay hashes a token again after
	-- a change of the key (the trigger tokens_are_rehashed permits it nothing else), and the worker records the last use.
	GRANT SELECT ON tokens TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT INSERT, UPDATE ON tokens TO tollgate_console;
	GRANT UPDATE (hash, pepper_id) ON tokens TO tollgate_relay;
	GRANT INSERT, UPDATE (name, models, addresses, status, expires_at, last_used, limit_requests, limit_tokens, limit_concurrency, held)
		ON tokens TO tollgate_worker;

	-- The catalog. Relays need the credentials of channels for calls, the worker for probes.
	GRANT SELECT ON groups, models, prices, group_rules, channels, channel_costs, disabled_credentials TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT INSERT, UPDATE ON groups, models, prices, group_rules, channels, channel_costs TO tollgate_console, tollgate_worker;
	GRANT UPDATE (created_at) ON channels TO tollgate_relay; -- to lock a row; Postgres has no right of its own for that
	GRANT INSERT ON disabled_credentials TO tollgate_relay;
	GRANT INSERT, DELETE ON disabled_credentials TO tollgate_console, tollgate_worker;
	GRANT UPDATE (fingerprint) ON disabled_credentials TO tollgate_console; -- console reseal
	GRANT SELECT, INSERT, DELETE ON channel_health TO tollgate_relay;
	GRANT SELECT, DELETE ON channel_health TO tollgate_worker;
	GRANT SELECT ON channel_health, channel_probes TO tollgate_console;
	GRANT SELECT, INSERT, UPDATE, DELETE ON channel_probes TO tollgate_worker;

	-- The price catalog. The worker fetches the file if it is configured to.
	GRANT SELECT, INSERT, UPDATE, DELETE ON price_catalog TO tollgate_console;
	GRANT SELECT, INSERT, UPDATE ON price_catalog TO tollgate_worker;

	-- Quota. Relays lease it and record what they spent, and open the windows of caps.
	GRANT SELECT ON accounts, caps, leases, relays TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT INSERT ON accounts TO tollgate_console, tollgate_relay, tollgate_worker;
	GRANT UPDATE (granted) ON accounts TO tollgate_console;
	GRANT UPDATE (used, leased) ON accounts TO tollgate_relay;
	GRANT UPDATE (granted, used, leased), DELETE ON accounts TO tollgate_worker;
	GRANT INSERT, UPDATE (amount) ON caps TO tollgate_console, tollgate_worker;
	GRANT UPDATE (kind) ON caps TO tollgate_relay; -- to lock a row
	GRANT INSERT, UPDATE, DELETE ON leases TO tollgate_relay;
	GRANT DELETE ON leases TO tollgate_worker;
	GRANT INSERT, UPDATE (seen_at, version, state, started_at, in_flight, spool_events, spool_bytes, spool_oldest_at,
		body_bytes, body_max_bytes, body_waiting, body_refused, queues_exports) ON relays TO tollgate_relay;
	GRANT UPDATE (reclaims), DELETE ON relays TO tollgate_worker;

	-- Usage. Statements on usage_logs need no rights on its partitions. Relays insert logs, the worker adds them up, and
	-- functions of the owner make partitions and drop whole months.
	GRANT SELECT ON usage_logs TO tollgate_console, tollgate_relay, tollgate_worker, tollgate_worker_tenant;
	GRANT INSERT ON usage_logs TO tollgate_relay;
	GRANT SELECT, DELETE ON usage_logs_default TO tollgate_worker;
	GRANT EXECUTE ON FUNCTION tollgate_make_partition(date), tollgate_drop_partition(date) TO tollgate_worker;
	GRANT SELECT, INSERT, UPDATE ON unpriced_calls TO tollgate_relay;
	GRANT SELECT ON unpriced_calls TO tollgate_console;
	GRANT SELECT ON usage_outbox TO tollgate_console, tollgate_worker, tollgate_worker_tenant;
	GRANT SELECT (id), INSERT ON usage_outbox TO tollgate_relay;
	GRANT UPDATE (start), DELETE ON usage_outbox TO tollgate_worker; -- UPDATE: to lock a row
	GRANT SELECT ON usage_rollups_hourly, usage_rollups_daily, usage_totals_hourly, usage_totals_daily TO tollgate_console, tollgate_worker, tollgate_worker_tenant;
	GRANT SELECT ON usage_rollups_daily TO tollgate_relay; -- for GET /v1/usage
	GRANT INSERT, UPDATE ON usage_rollups_hourly, usage_rollups_daily, usage_totals_hourly, usage_totals_daily TO tollgate_worker;
	-- The supplier's costs, which tenants must not see.
	GRANT SELECT ON usage_cost_outbox, usage_costs_hourly, usage_costs_daily TO tollgate_console, tollgate_worker;
	GRANT SELECT (id), INSERT ON usage_cost_outbox TO tollgate_relay;
	GRANT UPDATE (start), DELETE ON usage_cost_outbox TO tollgate_worker;
	GRANT INSERT, UPDATE ON usage_costs_hourly, usage_costs_daily TO tollgate_worker;
	-- How fast models responded.
	GRANT SELECT ON usage_speeds_hourly TO tollgate_console, tollgate_worker;
	GRANT INSERT ON usage_speed_outbox TO tollgate_relay;
	GRANT SELECT, DELETE, UPDATE (start) ON usage_speed_outbox TO tollgate_worker; -- UPDATE: to lock a row
	GRANT INSERT, UPDATE, DELETE ON usage_speeds_hourly TO tollgate_worker;
	-- Usage by tag and end user.
	GRANT SELECT ON usage_attribution_daily TO tollgate_console, tollgate_worker;
	GRANT INSERT ON usage_attribution_outbox TO tollgate_relay;
	GRANT SELECT, DELETE ON usage_attribution_outbox TO tollgate_worker;
	GRANT INSERT, UPDATE, DELETE ON usage_attribution_daily TO tollgate_worker;
	GRANT SELECT ON usage_retention TO tollgate_relay; -- events of dropped months are refused
	GRANT SELECT ON usage_retention, reconcile_hours, reconcile_drifts, reconcile_state TO tollgate_console, tollgate_worker;
	GRANT UPDATE (dropped_before) ON usage_retention TO tollgate_worker;
	GRANT INSERT, UPDATE, DELETE ON reconcile_hours, reconcile_drifts TO tollgate_worker;
	GRANT UPDATE ON reconcile_state TO tollgate_worker;

	-- The export to a bucket. Relays queue logs, the worker plans and writes objects, and the console turns the export off.
	GRANT SELECT ON usage_export TO tollgate_relay;
	GRANT INSERT ON usage_export_batches TO tollgate_relay;
	GRANT SELECT, INSERT, UPDATE (walked_to, last_object) ON usage_export TO tollgate_worker;
	GRANT SELECT, UPDATE (planned), DELETE ON usage_export_batches TO tollgate_worker;
	GRANT SELECT, INSERT, DELETE ON usage_export_objects TO tollgate_worker;
	GRANT SELECT, DELETE ON usage_export, usage_export_objects TO tollgate_console;
	GRANT SELECT (id, queued_at, planned), DELETE ON usage_export_batches TO tollgate_console;

	-- What providers say that they charged. The console writes billing credentials, and only the worker reads them.
	GRANT SELECT (id, name, provider, base_url, status, channels, keys, sealed_with, created_at, updated_at, due_at, fetched_at, failures, error),
		INSERT, UPDATE, DELETE ON billing_accounts TO tollgate_console;
	GRANT SELECT, UPDATE (credential, sealed_with, due_at, fetched_at, failures, error) ON billing_accounts TO tollgate_worker;
	GRANT SELECT, INSERT, UPDATE, DELETE ON supplier_charges, supplier_days TO tollgate_console, tollgate_worker;
	GRANT SELECT ON supplier_own TO tollgate_console;
	GRANT SELECT, INSERT, UPDATE, DELETE ON supplier_own TO tollgate_worker;

	-- Stored responses.
	GRANT SELECT, INSERT, UPDATE (kept_until), DELETE ON responses TO tollgate_relay;
	GRANT SELECT (id, kept_until), DELETE ON responses TO tollgate_worker;
	-- The console erases people. It finds what belongs to them, and does not read it.
	GRANT SELECT (tenant_id, user_id), DELETE ON responses TO tollgate_console;
	GRANT SELECT (tenant_id, token_id), DELETE ON idempotency_keys TO tollgate_console;
	-- Refused calls. Relays write them, and the console shows and erases them.
	GRANT INSERT, SELECT (id) ON refused_calls TO tollgate_relay;
	GRANT INSERT, SELECT, UPDATE (calls) ON refused_counts TO tollgate_relay;
	GRANT SELECT, DELETE ON refused_calls, refused_counts TO tollgate_console;
	GRANT SELECT (id, expires_at), DELETE ON refused_calls, refused_counts TO tollgate_worker;
	-- Clients of tokens. Relays count them, and the console shows and erases them.
	GRANT INSERT, SELECT, UPDATE (first_at, last_at, calls, expires_at) ON usage_clients TO tollgate_relay;
	GRANT SELECT, DELETE ON usage_clients TO tollgate_console;
	GRANT SELECT (id, expires_at), DELETE ON usage_clients TO tollgate_worker;
	-- Idempotency keys, with sealed answers.
	GRANT SELECT, INSERT, UPDATE (state, answer, size, answer_lost), DELETE ON idempotency_keys TO tollgate_relay;
	GRANT SELECT (id, expires_at), DELETE ON idempotency_keys TO tollgate_worker;

	-- Jobs and mail. Their secrets are sealed.
	GRANT SELECT, INSERT, UPDATE, DELETE ON jobs, mails TO tollgate_console;
	GRANT SELECT, DELETE ON job_parts TO tollgate_console;
	GRANT SELECT, UPDATE, DELETE ON jobs TO tollgate_worker;
	GRANT SELECT, INSERT, DELETE ON job_parts TO tollgate_worker;
	GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO tollgate_worker;

	-- Alerts. The console writes rules and destinations, and re-encrypts secrets; workers raise alerts and deliver them.
	GRANT SELECT, INSERT, UPDATE, DELETE ON alert_destinations, alert_rules TO tollgate_console;
	GRANT SELECT, INSERT, UPDATE (facts), DELETE ON alerts TO tollgate_console; -- UPDATE, DELETE: to erase people
	GRANT SELECT, INSERT, UPDATE, DELETE ON alert_deliveries TO tollgate_console;
	GRANT SELECT ON alert_destinations, alert_rules TO tollgate_worker;
	GRANT SELECT, INSERT, DELETE ON alerts TO tollgate_worker;
	GRANT SELECT, INSERT, UPDATE ON alert_deliveries TO tollgate_worker;

	-- What exports name. They run for a tenant's user, behind row-level security.
	GRANT SELECT (id, tenant_id, address) ON users TO tollgate_worker_tenant;
	GRANT SELECT (id, tenant_id, user_id, name) ON tokens TO tollgate_worker_tenant;
	GRANT SELECT (id, name) ON channels TO tollgate_worker_tenant;
END $rights$;

COMMIT;
