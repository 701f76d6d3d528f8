-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id uuid PRIMARY KEY,
	tenant_id uuid, -- whose share of the queue it uses; null for the platform
	kind text NOT NULL,
	content bytea NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id uuid, -- of the worker that sends it
	due_at timestamptz NOT NULL, -- from then on it may be sent or taken over
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- from then on it is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);
-- Only programs queue, read and delete mail, also in a transaction for a user: the tenant role has no permission.
SELECT tollgate_wall('mails', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', '');
