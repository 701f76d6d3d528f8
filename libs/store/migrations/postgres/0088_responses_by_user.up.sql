-- The erasure of a user, and of a tenant.
CREATE INDEX CONCURRENTLY responses_by_user ON responses (tenant_id, user_id);
