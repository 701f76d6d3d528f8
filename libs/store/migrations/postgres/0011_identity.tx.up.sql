-- Sessions get an id, by which they are listed and ended. Existing sessions have no id, so they are deleted and
-- users must sign in again.
DROP TABLE sessions;
CREATE TABLE sessions (
	id uuid PRIMARY KEY,
	hash bytea NOT NULL UNIQUE,
	tenant_id uuid REFERENCES tenants, -- null for an operator
	user_id uuid NOT NULL REFERENCES users,
	means text NOT NULL, -- way of the sign-in, such as a password or a passkey
	address text NOT NULL,
	agent text NOT NULL,
	created_at timestamptz NOT NULL,
	last_seen timestamptz NOT NULL, -- precision of a minute
	expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE invitations (
	id uuid PRIMARY KEY,
	hash bytea NOT NULL UNIQUE, -- of the secret in the newest link
	tenant_id uuid REFERENCES tenants, -- null for an operator
	email text NOT NULL,
	role text NOT NULL,
	group_id uuid REFERENCES groups,
	inviter text NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL,
	sent_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	CHECK ((role = 'operator') = (tenant_id IS NULL)),
	CHECK ((role = 'operator') = (group_id IS NULL))
);
CREATE INDEX invitations_by_tenant ON invitations (tenant_id, id);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE password_resets (
	id uuid PRIMARY KEY,
	hash bytea NOT NULL UNIQUE,
	tenant_id uuid REFERENCES tenants, -- null for an operator
	user_id uuid NOT NULL REFERENCES users,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

CREATE TABLE access_keys (
	id uuid PRIMARY KEY,
	hash bytea NOT NULL UNIQUE,
	tenant_id uuid REFERENCES tenants, -- null for an operator
	user_id uuid NOT NULL REFERENCES users,
	name text NOT NULL,
	mask text NOT NULL,
	access text NOT NULL, -- read or write
	created_at timestamptz NOT NULL,
	last_used timestamptz, -- precision of a minute
	expires_at timestamptz NOT NULL
);
CREATE INDEX access_keys_by_user ON access_keys (user_id, id);
CREATE INDEX access_keys_by_tenant ON access_keys (tenant_id, id);
CREATE INDEX access_keys_by_expiry ON access_keys (expires_at);
