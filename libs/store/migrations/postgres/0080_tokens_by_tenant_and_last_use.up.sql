-- The order of a tenant's tokens by their last use.
CREATE INDEX CONCURRENTLY tokens_by_tenant_and_last_use ON tokens (tenant_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
