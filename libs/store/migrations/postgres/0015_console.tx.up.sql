-- What a token is for: '' for calls, or 'playground', of which a user has one
-- at a time.
ALTER TABLE tokens ADD COLUMN purpose text NOT NULL DEFAULT '';
CREATE INDEX tokens_with_purpose ON tokens (user_id, purpose) WHERE purpose <> '';

-- A version that was withdrawn before it held for anybody never holds.
ALTER TABLE prices ADD COLUMN withdrawn_at timestamptz;
ALTER TABLE group_rules ADD COLUMN withdrawn_at timestamptz;

-- What a relay says of itself with each sign of life.
ALTER TABLE relays ADD COLUMN version text NOT NULL DEFAULT '';
ALTER TABLE relays ADD COLUMN state text NOT NULL DEFAULT '';
ALTER TABLE relays ADD COLUMN started_at timestamptz;
ALTER TABLE relays ADD COLUMN in_flight bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_events bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN spool_oldest_at timestamptz;

-- The audit log is searched by whom, what and of what.
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);
CREATE INDEX audit_log_by_target ON audit_log (target, id);
