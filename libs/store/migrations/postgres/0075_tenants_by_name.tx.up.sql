-- The order of tenants by name.
CREATE INDEX tenants_by_name ON tenants (name, id);
