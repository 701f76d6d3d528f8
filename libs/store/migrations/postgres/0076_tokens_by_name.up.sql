-- The order of all tokens by name. The list of a tenant or user has an index of its own.
CREATE INDEX CONCURRENTLY tokens_by_name ON tokens (name, id);
