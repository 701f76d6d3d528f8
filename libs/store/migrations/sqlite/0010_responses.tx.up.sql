-- Responses that relays translated from another dialect. The upstream does not store them.
CREATE TABLE responses (
	id text PRIMARY KEY,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	previous_id text,
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL, -- time from which the response is not found
	kept_until timestamp NOT NULL, -- time from which the row may be deleted; responses that continue this one need it for longer
	size bigint NOT NULL,
	input blob NOT NULL,
	body blob NOT NULL
);
CREATE INDEX responses_by_end ON responses (kept_until);
