-- The order of a tenant's tokens by name.
CREATE INDEX CONCURRENTLY tokens_by_tenant_and_name ON tokens (tenant_id, name, id);
