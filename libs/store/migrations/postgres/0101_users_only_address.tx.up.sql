-- No program reads or writes email and claimed_email any more: the address is in users.address.
DROP TRIGGER users_address ON users;
DROP FUNCTION tollgate_derive_address();
ALTER TABLE users DROP COLUMN email;
ALTER TABLE users DROP COLUMN claimed_email;
