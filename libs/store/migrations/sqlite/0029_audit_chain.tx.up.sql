-- The chain of hashes over the audit log, one for each tenant; the platform has the tenant of zeros. Links are added after
-- their entries, so that no change waits for another one of its tenant. Entries from before started_at have no link.
CREATE TABLE audit_chain (
	tenant_id text NOT NULL,
	seq integer NOT NULL,
	entry_id text NOT NULL UNIQUE,
	hash blob NOT NULL,
	PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE audit_chain_start (
	id integer PRIMARY KEY,
	started_at timestamp NOT NULL
);
INSERT INTO audit_chain_start VALUES (1, strftime('%Y-%m-%d %H:%M:%f+00:00', 'now'));
