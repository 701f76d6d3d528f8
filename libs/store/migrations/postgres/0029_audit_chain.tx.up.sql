-- The chain of hashes over the audit log, one for each tenant; the platform has the tenant of zeros. Links are added after
-- their entries, so that no change waits for another one of its tenant. Entries from before started_at have no link.
CREATE TABLE audit_chain (
	tenant_id uuid NOT NULL,
	seq bigint NOT NULL,
	entry_id uuid NOT NULL UNIQUE,
	hash bytea NOT NULL,
	PRIMARY KEY (tenant_id, seq)
);
SELECT tollgate_wall('audit_chain', 'tenant_id = (SELECT tollgate_tenant())', '');

CREATE TABLE audit_chain_start (
	id integer PRIMARY KEY,
	started_at timestamptz NOT NULL
);
INSERT INTO audit_chain_start VALUES (1, now());
