-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id text PRIMARY KEY,
	tenant_id text, -- tenant whose share of the queue the mail uses; null for the platform
	kind text NOT NULL,
	content blob NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id text, -- id of the claim of the process that sends the mail
	due_at timestamp NOT NULL, -- time from which a process may send the mail or take it over
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL -- time from which the mail is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);
