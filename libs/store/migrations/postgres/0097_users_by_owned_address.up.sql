-- One user at most can sign in with an address.
CREATE UNIQUE INDEX CONCURRENTLY users_by_owned_address ON users (address) WHERE owned_at IS NOT NULL;
