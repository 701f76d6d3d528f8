-- Second factors, passkeys and identities of users, and challenges, which hold the state of sign-ins in progress.
-- tenant_id is that of the user, null for operators.
CREATE TABLE totps (
	user_id uuid PRIMARY KEY REFERENCES users,
	tenant_id uuid REFERENCES tenants,
	sealed bytea NOT NULL,
	created_at timestamptz NOT NULL,
	confirmed_at timestamptz, -- null: setup has begun, and sign-ins do not ask for codes yet
	last_step bigint NOT NULL, -- time step of the last accepted code
	tries integer NOT NULL, -- guesses since the last accepted code
	tried_at timestamptz NOT NULL
);

CREATE TABLE recovery_codes (
	user_id uuid NOT NULL REFERENCES users,
	tenant_id uuid REFERENCES tenants,
	hash bytea NOT NULL,
	used_at timestamptz,
	PRIMARY KEY (user_id, hash)
);

CREATE TABLE passkeys (
	id uuid PRIMARY KEY,
	user_id uuid NOT NULL REFERENCES users,
	tenant_id uuid REFERENCES tenants,
	credential_id bytea NOT NULL UNIQUE,
	name text NOT NULL,
	credential bytea NOT NULL, -- JSON: the public key and what the authenticator reported about itself
	sign_count bigint NOT NULL,
	created_at timestamptz NOT NULL,
	last_used timestamptz
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, id);

CREATE TABLE identities (
	id uuid PRIMARY KEY,
	user_id uuid NOT NULL REFERENCES users,
	tenant_id uuid REFERENCES tenants,
	issuer text NOT NULL,
	subject text NOT NULL,
	email text NOT NULL, -- address that the issuer had when the identity was linked
	created_at timestamptz NOT NULL,
	last_used timestamptz NOT NULL,
	UNIQUE (issuer, subject),
	UNIQUE (user_id, issuer)
);

CREATE TABLE challenges (
	hash bytea PRIMARY KEY,
	purpose text NOT NULL,
	user_id uuid REFERENCES users, -- null: not known yet
	tenant_id uuid REFERENCES tenants,
	password_hash text NOT NULL, -- hash that the given password matched
	data bytea NOT NULL,
	tries integer NOT NULL, -- remaining attempts
	expires_at timestamptz NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);
CREATE INDEX challenges_by_user ON challenges (user_id);
