-- Second factors, passkeys and identities of users, and challenges, which hold the state of sign-ins in progress.
-- tenant_id is that of the user, null for operators.
CREATE TABLE totps (
	user_id text PRIMARY KEY REFERENCES users,
	tenant_id text REFERENCES tenants,
	sealed blob NOT NULL,
	created_at timestamp NOT NULL,
	confirmed_at timestamp, -- null: setup has begun, and sign-ins do not ask for codes yet
	last_step bigint NOT NULL, -- time step of the last accepted code
	tries integer NOT NULL, -- guesses since the last accepted code
	tried_at timestamp NOT NULL
);

CREATE TABLE recovery_codes (
	user_id text NOT NULL REFERENCES users,
	tenant_id text REFERENCES tenants,
	hash blob NOT NULL,
	used_at timestamp,
	PRIMARY KEY (user_id, hash)
);

CREATE TABLE passkeys (
	id text PRIMARY KEY,
	user_id text NOT NULL REFERENCES users,
	tenant_id text REFERENCES tenants,
	credential_id blob NOT NULL UNIQUE,
	name text NOT NULL,
	credential blob NOT NULL, -- JSON: the public key and what the authenticator reported about itself
	sign_count bigint NOT NULL,
	created_at timestamp NOT NULL,
	last_used timestamp
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, id);

CREATE TABLE identities (
	id text PRIMARY KEY,
	user_id text NOT NULL REFERENCES users,
	tenant_id text REFERENCES tenants,
	issuer text NOT NULL,
	subject text NOT NULL,
	email text NOT NULL, -- address that the issuer had when the identity was linked
	created_at timestamp NOT NULL,
	last_used timestamp NOT NULL,
	UNIQUE (issuer, subject),
	UNIQUE (user_id, issuer)
);

CREATE TABLE challenges (
	hash blob PRIMARY KEY,
	purpose text NOT NULL,
	user_id text REFERENCES users, -- null: not known yet
	tenant_id text REFERENCES tenants,
	password_hash text NOT NULL, -- hash that the given password matched
	data blob NOT NULL,
	tries integer NOT NULL, -- remaining attempts
	expires_at timestamp NOT NULL
);
CREATE INDEX challenges_by_expiry ON challenges (expires_at);
CREATE INDEX challenges_by_user ON challenges (user_id);
