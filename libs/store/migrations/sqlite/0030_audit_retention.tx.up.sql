-- Where the chain of a tenant begins after its oldest links were deleted: number and hash of the last deleted link.
CREATE TABLE audit_anchors (
	tenant_id text PRIMARY KEY,
	seq integer NOT NULL,
	hash blob NOT NULL
);
