-- Alerts: rules say what to watch, destinations where to report it. alerts is the history, and alert_deliveries the outbox:
-- a row of each is inserted in one transaction, so no alert is lost. A null tenant_id means the platform's own.
CREATE TABLE alert_destinations (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	kind text NOT NULL,
	name text NOT NULL,
	mail_to text REFERENCES users, -- the user who gets the mails; null for other kinds
	shown text NOT NULL, -- the part of the URL that may be shown
	url blob, -- sealed: it may hold a password
	secret blob, -- sealed: signs the requests; null unless the kind is webhook
	language text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX alert_destinations_by_tenant ON alert_destinations (tenant_id, id);

CREATE TABLE alert_rules (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	name text NOT NULL,
	kind text NOT NULL,
	subject text NOT NULL, -- kind of the owner of the quota; empty: the platform
	subject_id text, -- null: each owner of the kind
	period text NOT NULL, -- of the budget; empty: the quota
	thresholds text NOT NULL, -- numbers: percent, days, or minutes
	destinations text NOT NULL, -- ids
	status text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, id);

CREATE TABLE alerts (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	rule_id text, -- null: a test. The rule may be deleted
	mark text NOT NULL UNIQUE, -- rule, subject, window and threshold: a second alert with the same mark is not raised
	facts text NOT NULL, -- what happened
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL -- when the alert is deleted
);
CREATE INDEX alerts_by_tenant ON alerts (tenant_id, id);
CREATE INDEX alerts_by_rule ON alerts (rule_id, created_at);
CREATE INDEX alerts_expired ON alerts (expires_at);

CREATE TABLE alert_deliveries (
	id text PRIMARY KEY,
	alert_id text NOT NULL REFERENCES alerts ON DELETE CASCADE,
	tenant_id text REFERENCES tenants,
	destination_id text NOT NULL REFERENCES alert_destinations ON DELETE CASCADE,
	state text NOT NULL, -- waiting, delivered or failed
	attempts bigint NOT NULL,
	lease_id text, -- of the claim of the worker that delivers it
	due_at timestamp NOT NULL, -- time from which a worker may deliver it or take it over
	error text NOT NULL, -- of the last attempt; empty: none
	ended_at timestamp
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
CREATE INDEX alert_deliveries_by_destination ON alert_deliveries (destination_id);
