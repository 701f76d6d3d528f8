-- Alerts: rules say what to watch, destinations where to report it. alerts is the history, and alert_deliveries the outbox:
-- a row of each is inserted in one transaction, so no alert is lost. A null tenant_id means the platform's own.
CREATE TABLE alert_destinations (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	kind text NOT NULL,
	name text NOT NULL,
	mail_to uuid REFERENCES users, -- the user who gets the mails; null for other kinds
	shown text NOT NULL, -- the part of the URL that may be shown
	url bytea, -- sealed: it may hold a password
	secret bytea, -- sealed: signs the requests; null unless the kind is webhook
	language text NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL
);
CREATE INDEX alert_destinations_by_tenant ON alert_destinations (tenant_id, id);
-- Users of a tenant write URLs and secrets and cannot read them.
SELECT tollgate_wall('alert_destinations', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT (id, tenant_id, kind, name, mail_to, shown, language, status, created_at), INSERT, UPDATE (name, status, secret), DELETE');

CREATE TABLE alert_rules (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	name text NOT NULL,
	kind text NOT NULL,
	subject text NOT NULL, -- kind of the owner of the quota; empty: the platform
	subject_id uuid, -- null: each owner of the kind
	period text NOT NULL, -- of the budget; empty: the quota
	thresholds jsonb NOT NULL, -- numbers: percent, days, or minutes
	destinations jsonb NOT NULL, -- ids
	status text NOT NULL,
	created_at timestamptz NOT NULL
);
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, id);
SELECT tollgate_wall('alert_rules', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE alerts (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	rule_id uuid, -- null: a test. The rule may be deleted
	mark text NOT NULL UNIQUE, -- rule, subject, window and threshold: a second alert with the same mark is not raised
	facts jsonb NOT NULL, -- what happened
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- when the alert is deleted
);
CREATE INDEX alerts_by_tenant ON alerts (tenant_id, id);
CREATE INDEX alerts_by_rule ON alerts (rule_id, created_at);
CREATE INDEX alerts_expired ON alerts (expires_at);
SELECT tollgate_wall('alerts', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT');

CREATE TABLE alert_deliveries (
	id uuid PRIMARY KEY,
	alert_id uuid NOT NULL REFERENCES alerts ON DELETE CASCADE,
	tenant_id uuid REFERENCES tenants,
	destination_id uuid NOT NULL REFERENCES alert_destinations ON DELETE CASCADE,
	state text NOT NULL, -- waiting, delivered or failed
	attempts bigint NOT NULL,
	lease_id uuid, -- of the claim of the worker that delivers it
	due_at timestamptz NOT NULL, -- time from which a worker may deliver it or take it over
	error text NOT NULL, -- of the last attempt; empty: none
	ended_at timestamptz
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
CREATE INDEX alert_deliveries_by_destination ON alert_deliveries (destination_id);
SELECT tollgate_wall('alert_deliveries', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT, INSERT, UPDATE (state, attempts, due_at, ended_at)');
