-- Every hour that has usage. An open hour waits for its check. mark is a new random value each time that usage arrives:
-- a check closes the hour only if mark is unchanged, so that it never closes usage that it did not see.
CREATE TABLE reconcile_hours (
	start timestamptz PRIMARY KEY,
	mark uuid NOT NULL,
	open boolean NOT NULL,
	checked_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO reconcile_hours (start, mark, open)
SELECT DISTINCT start, uuid '00000000-0000-0000-0000-000000000000', true FROM usage_rollups_hourly;

-- The differences that the last check found. A difference without an account has the zero id, one without an hour the
-- year 1.
CREATE TABLE reconcile_drifts (
	check_name text NOT NULL,
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	account_id uuid NOT NULL,
	measure text NOT NULL,
	expected bigint NOT NULL,
	found bigint NOT NULL,
	difference bigint NOT NULL,
	first_seen timestamptz NOT NULL,
	last_seen timestamptz NOT NULL,
	PRIMARY KEY (check_name, start, tenant_id, account_id, measure)
);

CREATE TABLE reconcile_state (
	id integer PRIMARY KEY CHECK (id = 1),
	opened_until timestamptz,
	last_tenant uuid,
	finished_at timestamptz,
	hours bigint NOT NULL
);
INSERT INTO reconcile_state (id, hours) VALUES (1, 0);

-- Usage logs before dropped_before may be deleted.
CREATE TABLE usage_retention (
	id integer PRIMARY KEY CHECK (id = 1),
	dropped_before timestamptz
);
INSERT INTO usage_retention (id) VALUES (1);
