-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id text PRIMARY KEY,
	tenant_id text, -- whose share of the queue it uses; null for the platform
	kind text NOT NULL,
	content blob NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id text, -- of the worker that sends it
	due_at timestamp NOT NULL, -- from then on it may be sent or taken over
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL -- from then on it is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);
