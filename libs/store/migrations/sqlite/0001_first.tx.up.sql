CREATE TABLE tenants (
	id text PRIMARY KEY,
	slug text NOT NULL UNIQUE,
	name text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL
);

CREATE TABLE groups (
	id text PRIMARY KEY,
	name text NOT NULL UNIQUE,
	models text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL
);

CREATE TABLE users (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	email text NOT NULL UNIQUE,
	password_hash text NOT NULL,
	role text NOT NULL,
	group_id text REFERENCES groups,
	status text NOT NULL,
	created_at timestamp NOT NULL,
	CHECK ((role = 'operator') = (tenant_id IS NULL)),
	CHECK ((role = 'operator') = (group_id IS NULL))
);
CREATE INDEX users_by_tenant ON users (tenant_id, id);
CREATE INDEX users_by_group ON users (group_id);

CREATE TABLE sessions (
	hash blob PRIMARY KEY,
	user_id text NOT NULL REFERENCES users,
	expires_at timestamp NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE models (
	id text PRIMARY KEY,
	owned_by text NOT NULL,
	status text NOT NULL,
	free boolean NOT NULL,
	max_output bigint NOT NULL,
	created_at timestamp NOT NULL
);

CREATE TABLE prices (
	id text PRIMARY KEY,
	model text NOT NULL REFERENCES models,
	effective_from timestamp NOT NULL,
	input_rate bigint,
	cached_input_rate bigint,
	cache_write_rate bigint,
	audio_input_rate bigint,
	output_rate bigint,
	reasoning_rate bigint,
	audio_output_rate bigint,
	request_rate bigint,
	created_at timestamp NOT NULL
);
CREATE INDEX prices_by_model ON prices (model, id);

CREATE TABLE group_rules (
	id text PRIMARY KEY,
	group_id text NOT NULL REFERENCES groups,
	model text REFERENCES models,
	effective_from timestamp NOT NULL,
	multiplier bigint NOT NULL,
	fixed bigint,
	created_at timestamp NOT NULL
);
CREATE INDEX group_rules_by_group ON group_rules (group_id, id);

CREATE TABLE channels (
	id text PRIMARY KEY,
	name text NOT NULL UNIQUE,
	type text NOT NULL,
	base_url text NOT NULL,
	keys text NOT NULL,
	dialects text NOT NULL,
	models text NOT NULL,
	priority bigint NOT NULL,
	weight bigint NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL
);

CREATE TABLE tokens (
	id text PRIMARY KEY,
	tenant_id text NOT NULL REFERENCES tenants,
	user_id text NOT NULL REFERENCES users,
	name text NOT NULL,
	mask text NOT NULL,
	hash blob NOT NULL UNIQUE,
	models text NOT NULL,
	addresses text NOT NULL,
	status text NOT NULL,
	expires_at timestamp,
	created_at timestamp NOT NULL,
	last_used timestamp
);
CREATE INDEX tokens_by_tenant ON tokens (tenant_id, id);
CREATE INDEX tokens_by_user ON tokens (user_id, id);

-- The id of an account is the id of its owner.
CREATE TABLE accounts (
	id text PRIMARY KEY,
	kind text NOT NULL,
	tenant_id text,
	user_id text,
	granted bigint,
	used bigint NOT NULL DEFAULT 0,
	leased bigint NOT NULL DEFAULT 0,
	CHECK (kind <> 'tenant' OR granted IS NOT NULL)
);

CREATE TABLE ledger (
	id text PRIMARY KEY,
	tenant_id text NOT NULL REFERENCES tenants,
	amount bigint NOT NULL,
	reason text NOT NULL,
	actor text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX ledger_by_tenant ON ledger (tenant_id, id);

CREATE TABLE leases (
	relay_id text NOT NULL,
	account_id text NOT NULL,
	amount bigint NOT NULL CHECK (amount >= 0),
	renewed_at timestamp NOT NULL,
	PRIMARY KEY (relay_id, account_id)
);

-- There are no foreign keys: an event is recorded even if an object that it names is gone.
CREATE TABLE usage_logs (
	id text NOT NULL,
	created_at timestamp NOT NULL,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	group_id text,
	channel_id text,
	relay_id text,
	price_id text,
	rule_id text,
	quota bigint NOT NULL CHECK (quota >= 0),
	cost bigint NOT NULL,
	input_tokens bigint NOT NULL,
	cached_input_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	audio_input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	reasoning_tokens bigint NOT NULL,
	audio_output_tokens bigint NOT NULL,
	latency_us bigint NOT NULL,
	first_byte_us bigint NOT NULL,
	status integer NOT NULL,
	stream boolean NOT NULL,
	estimated boolean NOT NULL,
	outcome text NOT NULL CHECK (outcome IN ('success', 'partial', 'failed')),
	model text NOT NULL,
	upstream_model text NOT NULL,
	dialect text NOT NULL,
	error text NOT NULL,
	attempts text NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX usage_logs_by_tenant ON usage_logs (tenant_id, id);
CREATE INDEX usage_logs_by_user ON usage_logs (user_id, id);
CREATE INDEX usage_logs_by_token ON usage_logs (token_id, id);
CREATE INDEX usage_logs_by_model ON usage_logs (tenant_id, model, id);
CREATE INDEX usage_logs_by_channel ON usage_logs (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX usage_logs_bad ON usage_logs (tenant_id, outcome, id) WHERE outcome <> 'success';

CREATE TABLE usage_outbox (
	id integer PRIMARY KEY AUTOINCREMENT,
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	partial bigint NOT NULL,
	input_tokens bigint NOT NULL,
	cached_input_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	audio_input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	reasoning_tokens bigint NOT NULL,
	audio_output_tokens bigint NOT NULL,
	quota bigint NOT NULL
);

CREATE TABLE usage_rollups_hourly (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	partial bigint NOT NULL,
	input_tokens bigint NOT NULL,
	cached_input_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	audio_input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	reasoning_tokens bigint NOT NULL,
	audio_output_tokens bigint NOT NULL,
	quota bigint NOT NULL,
	PRIMARY KEY (tenant_id, start, user_id, token_id, model, channel_id)
);
CREATE INDEX usage_rollups_hourly_by_start ON usage_rollups_hourly (start);

CREATE TABLE usage_rollups_daily (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	partial bigint NOT NULL,
	input_tokens bigint NOT NULL,
	cached_input_tokens bigint NOT NULL,
	cache_write_tokens bigint NOT NULL,
	audio_input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	reasoning_tokens bigint NOT NULL,
	audio_output_tokens bigint NOT NULL,
	quota bigint NOT NULL,
	PRIMARY KEY (tenant_id, start, user_id, token_id, model, channel_id)
);
CREATE INDEX usage_rollups_daily_by_start ON usage_rollups_daily (start);

CREATE TABLE change_feed (
	id integer PRIMARY KEY CHECK (id = 1),
	version bigint NOT NULL
);
INSERT INTO change_feed (id, version) VALUES (1, 0);

CREATE TABLE changes (
	version bigint PRIMARY KEY,
	topic text NOT NULL,
	ref text,
	created_at timestamp NOT NULL
);

CREATE TABLE audit_log (
	id text PRIMARY KEY,
	tenant_id text,
	actor_id text,
	actor text NOT NULL,
	action text NOT NULL,
	target text NOT NULL,
	detail text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX audit_log_by_tenant ON audit_log (tenant_id, id);
