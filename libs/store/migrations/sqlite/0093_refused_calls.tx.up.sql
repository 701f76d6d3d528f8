-- Calls that were refused before a channel was called. See package store/refusal.
CREATE TABLE refused_calls (
	id text PRIMARY KEY, -- of the request
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL,
	dialect text NOT NULL,
	model text NOT NULL,
	status integer NOT NULL,
	code text NOT NULL,
	param text NOT NULL,
	message text NOT NULL
);
CREATE INDEX refused_calls_by_tenant ON refused_calls (tenant_id, id);
CREATE INDEX refused_calls_by_user ON refused_calls (user_id, id);
CREATE INDEX refused_calls_by_end ON refused_calls (expires_at);

-- The number of refused calls by tenant, hour, user and reason. Without a reason it is that of the listed calls.
CREATE TABLE refused_counts (
	id text PRIMARY KEY,
	tenant_id text NOT NULL,
	hour timestamp NOT NULL,
	user_id text NOT NULL,
	code text NOT NULL,
	calls bigint NOT NULL,
	expires_at timestamp NOT NULL,
	UNIQUE (tenant_id, hour, user_id, code)
);
CREATE INDEX refused_counts_by_end ON refused_counts (expires_at);
