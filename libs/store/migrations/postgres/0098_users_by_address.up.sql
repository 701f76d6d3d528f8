-- The users who have or claim an address: sign-up, invitations and the erasure of a user look for them.
CREATE INDEX CONCURRENTLY users_by_address ON users (address);
