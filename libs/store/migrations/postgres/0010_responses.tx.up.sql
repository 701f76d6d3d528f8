-- Responses that relays translated from another dialect. The upstream does not store them.
CREATE TABLE responses (
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	model text NOT NULL,
	previous_id uuid,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL, -- time from which the response is not found
	kept_until timestamptz NOT NULL, -- time from which the row may be deleted; responses that continue this one need it for longer
	size bigint NOT NULL,
	input bytea NOT NULL,
	body bytea NOT NULL
);
CREATE INDEX responses_by_end ON responses (kept_until);
