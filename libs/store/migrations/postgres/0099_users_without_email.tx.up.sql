-- Programs write users.address and owned_at, and leave email null. Those of the previous release still write email, from which the trigger
-- derives both, and do not read it. What they wrote there may be out of date, so it must no longer be unique: the index
-- users_by_owned_address is.
ALTER TABLE users ALTER COLUMN email DROP NOT NULL, DROP CONSTRAINT users_email_key,
	ADD CONSTRAINT users_have_an_address CHECK (address IS NOT NULL) NOT VALID;
