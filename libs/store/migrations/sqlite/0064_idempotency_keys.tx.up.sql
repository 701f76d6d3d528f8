-- The keys of calls with an Idempotency-Key, and the sealed answers of those that have ended.
CREATE TABLE idempotency_keys (
	id text PRIMARY KEY, -- of the first call
	tenant_id text NOT NULL,
	token_id text NOT NULL,
	key_hash blob NOT NULL,
	request_mark blob NOT NULL, -- keyed hash of the path and the body
	relay_id text NOT NULL, -- serves the first call
	state text NOT NULL CHECK (state IN ('running', 'answered', 'charged')),
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL,
	size bigint NOT NULL DEFAULT 0, -- of answer in bytes
	answer blob, -- only if answered
	UNIQUE (token_id, key_hash)
);
CREATE INDEX idempotency_keys_by_end ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_running ON idempotency_keys (relay_id) WHERE state = 'running';
CREATE INDEX idempotency_keys_kept ON idempotency_keys (tenant_id, size) WHERE size > 0;
