-- The table of users without email and claimed_email: programs write address and owned_at. SQLite cannot drop a unique column, so this
-- is a copy. No other program runs meanwhile.
CREATE TABLE users_copy (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	-- The e-mail address of the user, and the time from which the user can sign in with it. Without this time the user only claims the
	-- address, or was erased.
	address text NOT NULL,
	owned_at timestamp,
	-- The proof that the address belongs to its person: mail, link, operator, issuer, before (not known) or '' (none).
	proof text NOT NULL DEFAULT 'before',
	password_hash text NOT NULL,
	role text NOT NULL,
	group_id text REFERENCES groups,
	status text NOT NULL,
	-- The language of the user's mails and of the console: a tag such as 'en', or '' if the user has chosen none.
	language text NOT NULL DEFAULT '',
	created_at timestamp NOT NULL,
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0,
	CHECK ((role = 'operator') = (tenant_id IS NULL)),
	CHECK ((role = 'operator') = (group_id IS NULL))
);
INSERT INTO users_copy (id, tenant_id, address, owned_at, proof, password_hash, role, group_id, status, language, created_at,
	limit_requests, limit_tokens, limit_concurrency)
SELECT id, tenant_id, address, owned_at, proof, password_hash, role, group_id, status, language, created_at, limit_requests,
	limit_tokens, limit_concurrency FROM users;
DROP TABLE users;
ALTER TABLE users_copy RENAME TO users;
CREATE INDEX users_by_tenant ON users (tenant_id, id);
CREATE INDEX users_by_group ON users (group_id);
CREATE UNIQUE INDEX users_by_owned_address ON users (address) WHERE owned_at IS NOT NULL;
CREATE INDEX users_by_address ON users (address);
