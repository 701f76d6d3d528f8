-- Responses that relays made of what upstreams said in another dialect: no upstream keeps them.
CREATE TABLE responses (
	id text PRIMARY KEY,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	previous_id text,
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL, -- from then on nobody finds it
	kept_until timestamp NOT NULL, -- what goes on from it needs it for longer
	size bigint NOT NULL,
	input blob NOT NULL,
	body blob NOT NULL
);
CREATE INDEX responses_by_end ON responses (kept_until);
