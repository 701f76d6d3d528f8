-- Mail that waits to be sent. The row is deleted when the mail was sent or is
-- given up.
CREATE TABLE mails (
	id uuid PRIMARY KEY,
	tenant_id uuid, -- whose share of the queue it takes; null for the platform's
	kind text NOT NULL,
	content bytea NOT NULL, -- sealed: the address and what the mail says
	attempts bigint NOT NULL,
	lease_id uuid, -- of the deliverer at work
	due_at timestamptz NOT NULL, -- from then on it may be sent, or taken over
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- from then on it is of no use
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);
-- Programs alone queue, read and delete mail, also in a transaction for a user:
-- the tenant's role may do nothing.
SELECT tollgate_wall('mails', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', '');
