-- The keys of calls with an Idempotency-Key, and the sealed answers of those that have ended.
CREATE TABLE idempotency_keys (
	id uuid PRIMARY KEY, -- of the first call
	tenant_id uuid NOT NULL,
	token_id uuid NOT NULL,
	key_hash bytea NOT NULL,
	request_mark bytea NOT NULL, -- keyed hash of the path and the body
	relay_id uuid NOT NULL, -- serves the first call
	state text NOT NULL CHECK (state IN ('running', 'answered', 'charged')),
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	size bigint NOT NULL DEFAULT 0, -- of answer in bytes
	answer bytea, -- only if answered
	UNIQUE (token_id, key_hash)
);
CREATE INDEX idempotency_keys_by_end ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_running ON idempotency_keys (relay_id) WHERE state = 'running';
CREATE INDEX idempotency_keys_kept ON idempotency_keys (tenant_id, size) WHERE size > 0;
SELECT tollgate_wall('idempotency_keys', 'tenant_id = (SELECT tollgate_tenant())', '');
