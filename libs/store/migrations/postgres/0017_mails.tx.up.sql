-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id uuid PRIMARY KEY,
	tenant_id uuid, -- tenant whose share of the queue the mail uses; null for the platform
	kind text NOT NULL,
	content bytea NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id uuid, -- id of the claim of the process that sends the mail
	due_at timestamptz NOT NULL, -- time from which a process may send the mail or take it over
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- time from which the mail is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);
-- Only programs queue, read and delete mail, also in a transaction for a user: the tenant role has no permission.
SELECT tollgate_wall('mails', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', '');
