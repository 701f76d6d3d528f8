-- Calls that were refused before a channel was called. See package store/refusal.
CREATE TABLE refused_calls (
	id uuid PRIMARY KEY, -- of the request
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	dialect text NOT NULL,
	model text COLLATE "C" NOT NULL,
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
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL,
	hour timestamptz NOT NULL,
	user_id uuid NOT NULL,
	code text NOT NULL,
	calls bigint NOT NULL,
	expires_at timestamptz NOT NULL,
	UNIQUE (tenant_id, hour, user_id, code)
);
CREATE INDEX refused_counts_by_end ON refused_counts (expires_at);

SELECT tollgate_wall('refused_calls', 'SELECT');
SELECT tollgate_wall('refused_counts', 'SELECT');
