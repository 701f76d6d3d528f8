-- The users who claim an address: sign-up, the proof of an address, and the erasure of a user look for them.
CREATE INDEX users_by_claim ON users (claimed_email) WHERE claimed_email IS NOT NULL;
