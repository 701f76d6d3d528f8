-- The order of a user's tokens by name.
CREATE INDEX CONCURRENTLY tokens_by_user_and_name ON tokens (user_id, name, id);
