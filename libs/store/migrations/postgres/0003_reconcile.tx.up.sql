-- Every hour of usage. Open ones wait for their check; the mark is new each
-- time that usage arrives, so that no check closes what it did not see.
CREATE TABLE reconcile_hours (
	start timestamptz PRIMARY KEY,
	mark uuid NOT NULL,
	open boolean NOT NULL,
	checked_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO reconcile_hours (start, mark, open)
SELECT DISTINCT start, uuid '00000000-0000-0000-0000-000000000000', true FROM usage_rollups_hourly;

-- What differed when it was last checked. No account is the zero id, no hour
-- the year 1.
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

-- Usage logs before the moment may be gone.
CREATE TABLE usage_retention (
	id integer PRIMARY KEY CHECK (id = 1),
	dropped_before timestamptz
);
INSERT INTO usage_retention (id) VALUES (1);
