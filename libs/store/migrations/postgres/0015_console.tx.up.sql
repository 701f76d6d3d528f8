-- Purpose of a token: '' for calls, or 'playground'. A user has at most one
-- token for the playground that is not revoked.
ALTER TABLE tokens ADD COLUMN purpose text NOT NULL DEFAULT '';
CREATE INDEX tokens_with_purpose ON tokens (user_id, purpose) WHERE purpose <> '';

-- A version can be withdrawn before it takes effect. It then never takes effect.
ALTER TABLE prices ADD COLUMN withdrawn_at timestamptz;
ALTER TABLE group_rules ADD COLUMN withdrawn_at timestamptz;

-- What a relay reports about itself with each heartbeat.
ALTER TABLE relays ADD COLUMN version text NOT NULL DEFAULT '';
ALTER TABLE relays ADD COLUMN state text NOT NULL DEFAULT '';
ALTER TABLE relays ADD COLUMN started_at timestamptz;
ALTER TABLE relays ADD COLUMN in_flight bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_events bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_oldest_at timestamptz;

-- For searches of the audit log by actor, action and target.
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);
CREATE INDEX audit_log_by_target ON audit_log (target, id);
