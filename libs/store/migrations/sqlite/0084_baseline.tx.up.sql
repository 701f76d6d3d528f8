-- The schema of Tollgate on SQLite. README.md has the rules for the steps after this one.

CREATE TABLE tenants (
	id text PRIMARY KEY,
	slug text NOT NULL UNIQUE,
	name text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL,
	-- Policy for a stream whose quota is used up before its end: 'hard' ends the stream, 'soft' lets it finish.
	quota_mode text NOT NULL DEFAULT 'hard',
	-- Policy for a call whose longest answer costs more than is left: 'auto' sends the upstream an output cap, 'off' refuses.
	output_cap text NOT NULL DEFAULT 'auto',
	-- Whether the users of the tenant need a second factor.
	require_second_factor boolean NOT NULL DEFAULT false,
	-- Whether the users of the tenant, except owners, must sign in with the tenant's issuer.
	require_issuer boolean NOT NULL DEFAULT false,
	-- The keys of a request's metadata that are tags, separated by commas.
	metadata_tags text NOT NULL DEFAULT '',
	-- Whether the usage of every answer of the tenant's calls shows the quota that was deducted.
	include_quota boolean NOT NULL DEFAULT false,
	-- Not used any more.
	optional_tools text NOT NULL DEFAULT 'leave_out',
	-- Whether the relay ignores such fields of the tenant's calls and reports them, or refuses the calls: 'report' or 'refuse'.
	ignored_fields text NOT NULL DEFAULT 'report'
);
CREATE INDEX tenants_by_name ON tenants (name COLLATE NOCASE, id);

CREATE TABLE groups (
	id text PRIMARY KEY,
	name text NOT NULL UNIQUE,
	models text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL,
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0
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
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0,
	-- The proof that the e-mail address of an account belongs to its person: mail, link, operator, issuer, before (not known) or '' (none). An account whose address is only claimed has the address in claimed_email, and in
	-- email a placeholder that is unique.
	proof text NOT NULL DEFAULT 'before',
	claimed_email text,
	-- The language of the user's mails and of the console: a tag such as 'en', or '' if the user has chosen none.
	language text NOT NULL DEFAULT '',
	CHECK ((role = 'operator') = (tenant_id IS NULL)),
	CHECK ((role = 'operator') = (group_id IS NULL))
);
CREATE INDEX users_by_tenant ON users (tenant_id, id);
CREATE INDEX users_by_group ON users (group_id);

CREATE TABLE models (
	id text PRIMARY KEY,
	owned_by text NOT NULL,
	status text NOT NULL,
	free boolean NOT NULL,
	max_output bigint NOT NULL,
	created_at timestamp NOT NULL,
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0,
	-- How calls of the model choose among channels of equal priority: weighted, or cheapest by the costs of the channels.
	routing text NOT NULL DEFAULT 'weighted',
	-- What a model can read and write, for clients: the most tokens of input and output together, 0 if that is not known, and
	-- lists of modalities such as ["text", "image"], empty if they are not known.
	context_length bigint NOT NULL DEFAULT 0,
	input_modalities jsonb NOT NULL DEFAULT '[]',
	output_modalities jsonb NOT NULL DEFAULT '[]'
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
	created_at timestamp NOT NULL,
	-- A version can be withdrawn before it takes effect. It then never takes effect.
	withdrawn_at timestamp,
	-- All rates of a price, as JSON in the form of the API. It is null in old rows, whose rates are in the columns above.
	rates jsonb
);
CREATE INDEX prices_by_model ON prices (model, id);

CREATE TABLE group_rules (
	id text PRIMARY KEY,
	group_id text NOT NULL REFERENCES groups,
	model text REFERENCES models,
	effective_from timestamp NOT NULL,
	multiplier bigint NOT NULL,
	fixed bigint,
	created_at timestamp NOT NULL,
	withdrawn_at timestamp
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
	created_at timestamp NOT NULL,
	-- Policy for a response whose client disconnects: 'cancel' the upstream request, or 'drain' it to learn its usage.
	on_disconnect text NOT NULL DEFAULT 'cancel',
	-- Settings by which a channel differs from the defaults of its type.
	settings text NOT NULL DEFAULT '{}',
	-- The slug of the tenant to which the channel's account belongs alone, "" for none.
	account_of text NOT NULL DEFAULT '',
	-- Whether calls go to the channel that could cause a charge without a price: 'allow' or 'refuse'. Consoles create
	-- channels that refuse.
	unpriced text NOT NULL DEFAULT 'allow'
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
	last_used timestamp,
	-- Rate limits: requests per minute, tokens per minute, and concurrent requests; 0 means no limit. See libs/core/limit.
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0,
	-- Purpose of a token: '' for calls, or 'playground'. A user has at most one
	-- token for the playground that is not revoked.
	purpose text NOT NULL DEFAULT '',
	-- The pepper that a hash was made with; '' is the one from before there could be several.
	pepper_id text NOT NULL DEFAULT '',
	-- Fields of a token that somebody other than its user has restricted, such as status and quota. Its user cannot change them.
	held jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX tokens_by_tenant ON tokens (tenant_id, id);
CREATE INDEX tokens_by_user ON tokens (user_id, id);
CREATE INDEX tokens_with_purpose ON tokens (user_id, purpose) WHERE purpose <> '';
-- The orders of the lists of tokens and tenants. A list is read by the index of its filter, from where its last page ended.
-- The expression is that of libs/store/page, Time: tokens that were never used are the first.
CREATE INDEX tokens_by_name ON tokens (name COLLATE NOCASE, id);
CREATE INDEX tokens_by_tenant_and_name ON tokens (tenant_id, name COLLATE NOCASE, id);
CREATE INDEX tokens_by_user_and_name ON tokens (user_id, name COLLATE NOCASE, id);
CREATE INDEX tokens_by_last_use ON tokens ((CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
CREATE INDEX tokens_by_tenant_and_last_use ON tokens (tenant_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
CREATE INDEX tokens_by_user_and_last_use ON tokens (user_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);

-- The id of an account is the id of its owner.
CREATE TABLE accounts (
	id text PRIMARY KEY,
	kind text NOT NULL,
	tenant_id text,
	user_id text,
	granted bigint,
	used bigint NOT NULL DEFAULT 0,
	leased bigint NOT NULL DEFAULT 0,
	-- Each window has an account of its own, which is created when the window is first used. The other accounts have the id
	-- of their owner and no window.
	owner_id text,
	period text NOT NULL DEFAULT '' CHECK ((period = '') = (owner_id IS NULL)),
	window_start timestamp CHECK ((period = '') = (window_start IS NULL)),
	CHECK (kind <> 'tenant' OR granted IS NOT NULL)
);
CREATE INDEX accounts_by_window ON accounts (owner_id, period, window_start) WHERE owner_id IS NOT NULL;
CREATE INDEX accounts_by_start ON accounts (window_start) WHERE window_start IS NOT NULL;

CREATE TABLE ledger (
	id text PRIMARY KEY,
	tenant_id text NOT NULL REFERENCES tenants,
	amount bigint NOT NULL,
	reason text NOT NULL,
	actor text NOT NULL,
	created_at timestamp NOT NULL,
	-- kind is the kind of an entry, granted the sum of the tenant's entries up to this one, and transfer_id names the two
	-- entries of a transfer. idempotency_key is a key that the client chose: a repeated request finds the entry of the first.
	kind text NOT NULL DEFAULT 'grant' CHECK (kind IN ('grant', 'adjustment', 'transfer')),
	granted bigint NOT NULL DEFAULT 0,
	transfer_id text CHECK ((kind = 'transfer') = (transfer_id IS NOT NULL)),
	counterpart text REFERENCES tenants CHECK ((kind = 'transfer') = (counterpart IS NOT NULL)),
	idempotency_key text
);
CREATE INDEX ledger_by_tenant ON ledger (tenant_id, id);
CREATE UNIQUE INDEX ledger_idempotency_key_key ON ledger (idempotency_key);
CREATE INDEX ledger_by_transfer ON ledger (transfer_id) WHERE transfer_id IS NOT NULL;

CREATE TABLE leases (
	relay_id text NOT NULL,
	account_id text NOT NULL,
	amount bigint NOT NULL CHECK (amount >= 0),
	renewed_at timestamp NOT NULL,
	-- spent is what was spent of a lease since it began. stamp is the last operation on it, by which a duplicate or late
	-- message is recognized and ignored.
	spent bigint NOT NULL DEFAULT 0,
	stamp bigint NOT NULL DEFAULT 0,
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
	-- The part of cache_write_tokens that was written to a cache which lives for one hour.
	cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
	-- The version of the price formula by which the cost was computed; 0 for programs that do not know tiers of a price.
	formula bigint NOT NULL DEFAULT 0,
	-- The parts of input_tokens and output_tokens that are images.
	image_input_tokens bigint NOT NULL DEFAULT 0,
	image_output_tokens bigint NOT NULL DEFAULT 0,
	-- The service tier that the answer names, and what tools did that the provider ran. Most calls have neither: NULL, which takes
	-- no room in a row, stands for the ordinary tier and for 0.
	service_tier text,
	web_search_calls bigint,
	file_search_calls bigint,
	code_interpreter_sessions bigint,
	image_generation_input_tokens bigint,
	image_generation_image_input_tokens bigint,
	image_generation_output_tokens bigint,
	-- What the upstreams charge for a call, in nano-dollars; null: not known, as in rows of earlier releases. The store shows
	-- both columns to operators only.
	supplier_cost bigint,
	cost_id text,
	-- What a call is attributed to besides its user and its token. tags is an object of strings.
	end_user text,
	tags text,
	-- The kinds of charges of a call that have no price, as a set of bits (libs/core/charge).
	unpriced integer NOT NULL DEFAULT 0,
	-- What the upstream says it charges for a call, in nano-dollars; NULL if it states nothing.
	reported_cost bigint,
	-- Not used any more.
	left_out text,
	-- The paths of what the relay ignored of a call's request, separated by commas.
	ignored_fields text,
	PRIMARY KEY (id)
);
CREATE INDEX usage_logs_by_tenant ON usage_logs (tenant_id, id);
CREATE INDEX usage_logs_by_user ON usage_logs (user_id, id);
CREATE INDEX usage_logs_by_token ON usage_logs (token_id, id);
CREATE INDEX usage_logs_by_model ON usage_logs (tenant_id, model, id);
CREATE INDEX usage_logs_by_channel ON usage_logs (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX usage_logs_bad ON usage_logs (tenant_id, outcome, id) WHERE outcome <> 'success';
-- For the searches of operators across all tenants. The condition differs from that of usage_logs_bad on purpose: with
-- the same condition, Postgres could choose this index for queries that usage_logs_bad serves better.
CREATE INDEX usage_logs_by_outcome ON usage_logs (outcome, id) WHERE outcome IN ('partial', 'failed');

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
-- For the usage of one user or token, in a tenant with many rollups.
CREATE INDEX usage_rollups_hourly_by_user ON usage_rollups_hourly (user_id, start);
CREATE INDEX usage_rollups_hourly_by_token ON usage_rollups_hourly (token_id, start);

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
CREATE INDEX usage_rollups_daily_by_user ON usage_rollups_daily (user_id, start);
CREATE INDEX usage_rollups_daily_by_token ON usage_rollups_daily (token_id, start);

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
	created_at timestamp NOT NULL,
	-- The address of the client that caused an entry, "" if it is not known.
	address text NOT NULL DEFAULT ''
);
CREATE INDEX audit_log_by_tenant ON audit_log (tenant_id, id);
-- For searches of the audit log by actor, action and target.
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);
CREATE INDEX audit_log_by_target ON audit_log (target, id);

-- The relays that have leases: when each last reported, by the database's clock, and how often its leases were
-- reclaimed.
CREATE TABLE relays (
	id text PRIMARY KEY,
	seen_at timestamp NOT NULL,
	reclaims bigint NOT NULL DEFAULT 0,
	-- What a relay reports about itself with each heartbeat.
	version text NOT NULL DEFAULT '',
	state text NOT NULL DEFAULT '',
	started_at timestamp,
	in_flight bigint NOT NULL DEFAULT 0,
	spool_events bigint NOT NULL DEFAULT 0,
	spool_bytes bigint NOT NULL DEFAULT 0,
	spool_oldest_at timestamp,
	-- What a relay reports about the memory of request bodies, in bytes: in use, and the most that may be in use; how many
	-- requests wait for memory, and how many found none since the relay's start.
	body_bytes bigint NOT NULL DEFAULT 0,
	body_max_bytes bigint NOT NULL DEFAULT 0,
	body_waiting bigint NOT NULL DEFAULT 0,
	body_refused bigint NOT NULL DEFAULT 0
);

-- Every hour that has usage. An open hour waits for its check. mark is a new random value each time that usage arrives:
-- a check closes the hour only if mark is unchanged, so that it never closes usage that it did not see.
CREATE TABLE reconcile_hours (
	start timestamp PRIMARY KEY,
	mark text NOT NULL,
	open boolean NOT NULL,
	checked_at timestamp
);

-- The differences that the last check found. A difference without an account has the zero id, one without an hour the
-- year 1.
CREATE TABLE reconcile_drifts (
	check_name text NOT NULL,
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	account_id text NOT NULL,
	measure text NOT NULL,
	expected bigint NOT NULL,
	found bigint NOT NULL,
	difference bigint NOT NULL,
	first_seen timestamp NOT NULL,
	last_seen timestamp NOT NULL,
	PRIMARY KEY (check_name, start, tenant_id, account_id, measure)
);

CREATE TABLE reconcile_state (
	id integer PRIMARY KEY CHECK (id = 1),
	opened_until timestamp,
	last_tenant text,
	finished_at timestamp,
	hours bigint NOT NULL
);
INSERT INTO reconcile_state (id, hours) VALUES (1, 0);

-- Usage logs before dropped_before may be deleted.
CREATE TABLE usage_retention (
	id integer PRIMARY KEY CHECK (id = 1),
	dropped_before timestamp
);
INSERT INTO usage_retention (id) VALUES (1);

-- The most that an owner may spend in each day, week or month. A cap that was removed keeps its row without an amount,
-- because relays may still ask for its window.
CREATE TABLE caps (
	owner_id text NOT NULL,
	period text NOT NULL CHECK (period IN ('day', 'week', 'month')),
	kind text NOT NULL,
	tenant_id text,
	user_id text,
	amount bigint CHECK (amount >= 0),
	PRIMARY KEY (owner_id, period)
);

-- Rollups over all users and tokens: of each tenant, and with a tenant_id of zeros, which no tenant has, of the whole
-- platform. Their number depends only on the models and channels in use.
CREATE TABLE usage_totals_hourly (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
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
	PRIMARY KEY (tenant_id, start, model, channel_id)
);
CREATE INDEX usage_totals_hourly_by_start ON usage_totals_hourly (start);

CREATE TABLE usage_totals_daily (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
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
	PRIMARY KEY (tenant_id, start, model, channel_id)
);
CREATE INDEX usage_totals_daily_by_start ON usage_totals_daily (start);

-- Credentials of channels that their upstreams have refused: no relay uses them.
CREATE TABLE disabled_credentials (
	channel_id text NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
	fingerprint text NOT NULL,
	reason text NOT NULL,
	since timestamp NOT NULL,
	PRIMARY KEY (channel_id, fingerprint)
);

-- The last report of each relay about unhealthy channels.
CREATE TABLE channel_health (
	relay_id text NOT NULL,
	channel_id text NOT NULL,
	model text NOT NULL,
	fingerprint text NOT NULL,
	mask text NOT NULL,
	state text NOT NULL,
	word text NOT NULL,
	failures bigint NOT NULL,
	until timestamp NOT NULL,
	said_at timestamp NOT NULL,
	-- The ids of the tenants whose calls a report concerns, as a JSON array; '' for all tenants.
	tenants text NOT NULL DEFAULT '',
	PRIMARY KEY (relay_id, channel_id, model, fingerprint)
);
CREATE INDEX channel_health_by_channel ON channel_health (channel_id);

-- The result of the last probe of each credential.
CREATE TABLE channel_probes (
	channel_id text NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
	fingerprint text NOT NULL,
	status bigint NOT NULL,
	latency_us bigint NOT NULL,
	error text NOT NULL,
	probed_at timestamp NOT NULL,
	PRIMARY KEY (channel_id, fingerprint)
);

-- Responses that relays translated from another dialect. The upstream does not store them.
CREATE TABLE responses (
	id text PRIMARY KEY,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	model text NOT NULL,
	previous_id text,
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL, -- time from which the response is not found
	kept_until timestamp NOT NULL, -- time from which the row may be deleted; responses that continue this one need it for longer
	size bigint NOT NULL,
	input blob NOT NULL,
	body blob NOT NULL
);
CREATE INDEX responses_by_end ON responses (kept_until);

CREATE TABLE sessions (
	id text PRIMARY KEY,
	hash blob NOT NULL UNIQUE,
	tenant_id text REFERENCES tenants, -- null for an operator
	user_id text NOT NULL REFERENCES users,
	means text NOT NULL, -- way of the sign-in, such as a password or a passkey
	address text NOT NULL,
	agent text NOT NULL,
	created_at timestamp NOT NULL,
	last_seen timestamp NOT NULL, -- precision of a minute
	expires_at timestamp NOT NULL,
	-- When the user of the session last proved the identity again; null: not since the sign-in.
	confirmed_at timestamp,
	-- What the session has granted, adjusted and transferred without a recent confirmation of its user, in nano-dollars.
	unconfirmed bigint NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_user ON sessions (user_id, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE invitations (
	id text PRIMARY KEY,
	hash blob NOT NULL UNIQUE, -- of the secret in the newest link
	tenant_id text REFERENCES tenants, -- null for an operator
	email text NOT NULL,
	role text NOT NULL,
	group_id text REFERENCES groups,
	inviter text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL,
	sent_at timestamp NOT NULL,
	expires_at timestamp NOT NULL,
	-- The account that waits for the person who opens the link, null if the link makes one; and the proof that opening it gives.
	user_id text,
	proof text NOT NULL DEFAULT 'link',
	CHECK ((role = 'operator') = (tenant_id IS NULL)),
	CHECK ((role = 'operator') = (group_id IS NULL))
);
CREATE INDEX invitations_by_tenant ON invitations (tenant_id, id);
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE password_resets (
	id text PRIMARY KEY,
	hash blob NOT NULL UNIQUE,
	tenant_id text REFERENCES tenants, -- null for an operator
	user_id text NOT NULL REFERENCES users,
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL,
	proof text NOT NULL DEFAULT ''
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);
CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

CREATE TABLE access_keys (
	id text PRIMARY KEY,
	hash blob NOT NULL UNIQUE,
	tenant_id text REFERENCES tenants, -- null for an operator
	user_id text NOT NULL REFERENCES users,
	name text NOT NULL,
	mask text NOT NULL,
	access text NOT NULL, -- read or write
	created_at timestamp NOT NULL,
	last_used timestamp, -- precision of a minute
	expires_at timestamp NOT NULL,
	pepper_id text NOT NULL DEFAULT '',
	-- The scopes of the key, an allowlist of client addresses, and a limit on what it may grant in a day, in nano-dollars.
	-- granted is the amount of the day granted_on (UTC, 2006-01-02).
	scopes jsonb NOT NULL DEFAULT '[]',
	addresses jsonb NOT NULL DEFAULT '[]',
	grant_limit bigint NOT NULL DEFAULT 0,
	granted_on text NOT NULL DEFAULT '',
	granted bigint NOT NULL DEFAULT 0
);
CREATE INDEX access_keys_by_user ON access_keys (user_id, id);
CREATE INDEX access_keys_by_tenant ON access_keys (tenant_id, id);
CREATE INDEX access_keys_by_expiry ON access_keys (expires_at);

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

-- Long-running work that a user requested, and its result.
CREATE TABLE jobs (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants (id) ON DELETE CASCADE, -- null for an operator
	user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	role text NOT NULL, -- the role of the user at that time
	kind text NOT NULL,
	status text NOT NULL,
	parameters text NOT NULL,
	input blob, -- sealed; readable by the worker only, deleted when the job ends
	done bigint NOT NULL,
	total bigint NOT NULL, -- 0 if it is not known
	checkpoint blob, -- where the next attempt continues
	attempts bigint NOT NULL, -- since the last checkpoint
	lease_id text, -- id of the claim of the worker that runs the job
	due_at timestamp NOT NULL, -- time from which a worker may start the job or take it over
	parts bigint NOT NULL,
	size bigint NOT NULL, -- bytes of the file as it is downloaded
	stored bigint NOT NULL, -- bytes of its parts
	result text,
	secret blob, -- sealed; returned once
	error text NOT NULL,
	message text NOT NULL,
	created_at timestamp NOT NULL,
	started_at timestamp,
	finished_at timestamp,
	expires_at timestamp -- time from which the job may be deleted; null until the job ends
);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The file of a job. Each part is a gzip member of its own.
CREATE TABLE job_parts (
	job_id text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
	seq bigint NOT NULL,
	tenant_id text, -- tenant of the job
	user_id text NOT NULL,
	data blob NOT NULL,
	PRIMARY KEY (job_id, seq)
);

-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id text PRIMARY KEY,
	tenant_id text, -- tenant whose share of the queue the mail uses; null for the platform
	kind text NOT NULL,
	content blob NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id text, -- id of the claim of the process that sends the mail
	due_at timestamp NOT NULL, -- time from which a process may send the mail or take it over
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL -- time from which the mail is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);

-- Not used any more.
CREATE TABLE upgrades (
	name text PRIMARY KEY, at timestamp NOT NULL
);

-- The chain of hashes over the audit log, one for each tenant; the platform has the tenant of zeros. Links are added after
-- their entries, so that no change waits for another one of its tenant. Entries from before started_at have no link.
CREATE TABLE audit_chain (
	tenant_id text NOT NULL,
	seq integer NOT NULL,
	entry_id text NOT NULL UNIQUE,
	hash blob NOT NULL,
	PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE audit_chain_start (
	id integer PRIMARY KEY,
	started_at timestamp NOT NULL
);
INSERT INTO audit_chain_start VALUES (1, strftime('%Y-%m-%d %H:%M:%f+00:00', 'now'));

-- Where the chain of a tenant begins after its oldest links were deleted: number and hash of the last deleted link.
CREATE TABLE audit_anchors (
	tenant_id text PRIMARY KEY,
	seq integer NOT NULL,
	hash blob NOT NULL
);

-- What the audit log has an entry for on a day, so that all consoles together write one: the first use of an access key on a
-- day from an address. Rows of past days are deleted.
CREATE TABLE audit_days (
	day text NOT NULL, -- such as 2026-05-01, in UTC
	action text NOT NULL,
	target text NOT NULL,
	address text NOT NULL,
	PRIMARY KEY (day, action, target, address)
);

-- The OpenID Connect issuer of a tenant.
CREATE TABLE issuers (
	tenant_id text PRIMARY KEY REFERENCES tenants,
	url text NOT NULL,
	client_id text NOT NULL,
	client_secret blob NOT NULL, -- sealed for the tenant
	create_members boolean NOT NULL,
	default_role text NOT NULL,
	default_group_id text NOT NULL REFERENCES groups,
	created_at timestamp NOT NULL,
	updated_at timestamp NOT NULL,
	-- Whether an address counts as verified of which the tenant's issuer does not say so, and the claims that its ID tokens must have.
	trust_email boolean NOT NULL DEFAULT false,
	required_claims text NOT NULL DEFAULT '[]'
);

-- The domains of the addresses that an issuer signs in. Several tenants may name a domain, and operators approve it for one.
CREATE TABLE issuer_domains (
	tenant_id text NOT NULL REFERENCES tenants,
	domain text NOT NULL,
	approved_at timestamp, -- null: the sign-in page does not send addresses of the domain to the issuer
	PRIMARY KEY (tenant_id, domain)
);
CREATE UNIQUE INDEX issuer_domains_approved ON issuer_domains (domain) WHERE approved_at IS NOT NULL;

-- What the upstream of a channel charges, by its model. Rows never change, apart from being withdrawn before they take effect.
CREATE TABLE channel_costs (
	id text PRIMARY KEY,
	channel_id text NOT NULL REFERENCES channels,
	upstream_model text NOT NULL,
	effective_from timestamp NOT NULL,
	rates text NOT NULL, -- in the form of prices.rates
	factor bigint NOT NULL, -- billionths
	created_at timestamp NOT NULL,
	withdrawn_at timestamp
);
CREATE INDEX channel_costs_by_channel ON channel_costs (channel_id, id);

-- The supplier's costs by hour and day. They are in tables of their own, so that a worker of the previous release leaves them
-- alone (docs/adr/supplier-costs.md).
CREATE TABLE usage_cost_outbox (
	id integer PRIMARY KEY AUTOINCREMENT,
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL, -- calls whose cost is known
	quota bigint NOT NULL, -- of these calls
	supplier_cost bigint NOT NULL
);

-- Rows with a tenant_id of zeros, which no tenant has, are the sums over all tenants.
CREATE TABLE usage_costs_hourly (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL,
	quota bigint NOT NULL,
	supplier_cost bigint NOT NULL,
	PRIMARY KEY (tenant_id, start, model, channel_id)
);
CREATE INDEX usage_costs_hourly_by_start ON usage_costs_hourly (start);

CREATE TABLE usage_costs_daily (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	model text NOT NULL,
	channel_id text NOT NULL,
	requests bigint NOT NULL,
	quota bigint NOT NULL,
	supplier_cost bigint NOT NULL,
	PRIMARY KEY (tenant_id, start, model, channel_id)
);
CREATE INDEX usage_costs_daily_by_start ON usage_costs_daily (start);

-- The file of the price catalog that an operator uploaded or the worker fetched, in one row. Without a row, or with a null file,
-- the one that ships with the product applies. It belongs to the platform and has no rows of tenants.
CREATE TABLE price_catalog (
	id smallint PRIMARY KEY, -- always 1
	file text,
	sha256 text NOT NULL DEFAULT '', -- of the file, in hexadecimal
	source text NOT NULL DEFAULT '', -- "upload", or the URL from which the worker fetched the file
	stored_at timestamp,
	checked_at timestamp, -- when the worker last fetched the URL
	fault text NOT NULL DEFAULT '' -- why the last fetch failed; '' if it succeeded
);

-- Usage by day and tag, and by day and end user (docs/attribution.md). name is a tag's, or '*user' for end users, or '*' for
-- the tags of a day beyond 32. The value '' has the sum over all values of the name, those without a row included.
CREATE TABLE usage_attribution_outbox (
	id integer PRIMARY KEY AUTOINCREMENT,
	start timestamp NOT NULL, -- of the day, UTC
	tenant_id text NOT NULL,
	name text NOT NULL,
	value text NOT NULL,
	requests bigint NOT NULL,
	input_tokens bigint NOT NULL, -- of all classes
	output_tokens bigint NOT NULL, -- of all classes
	quota bigint NOT NULL
);

CREATE TABLE usage_attribution_daily (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	name text NOT NULL,
	value text NOT NULL,
	requests bigint NOT NULL,
	input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	quota bigint NOT NULL,
	PRIMARY KEY (tenant_id, name, start, value)
);
CREATE INDEX usage_attribution_daily_names ON usage_attribution_daily (tenant_id, start, name) WHERE value = '';
CREATE INDEX usage_attribution_daily_by_start ON usage_attribution_daily (start);

-- Billing accounts at providers, and what the providers say that they charged. Only operators see these tables.
CREATE TABLE billing_accounts (
	id text PRIMARY KEY,
	name text NOT NULL UNIQUE,
	provider text NOT NULL,
	base_url text NOT NULL,
	status text NOT NULL,
	channels text NOT NULL, -- ids of the channels whose calls the account pays
	keys text NOT NULL, -- the provider's ids of keys, with the masks of the same keys
	credential blob, -- sealed for the account; null: none
	sealed_with text NOT NULL, -- name of the key that sealed the credential; empty: none
	created_at timestamp NOT NULL,
	updated_at timestamp NOT NULL,
	due_at timestamp NOT NULL, -- when the account is fetched next
	fetched_at timestamp, -- of the last successful fetch
	failures integer NOT NULL, -- consecutive failed fetches
	error text NOT NULL -- of the last fetch; empty: none
);
CREATE INDEX billing_accounts_due ON billing_accounts (due_at);

CREATE TABLE supplier_charges (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL, -- UTC day, such as 2026-11-23
	model text NOT NULL, -- empty: the provider names none
	key text NOT NULL, -- the provider's id of the key; empty: the provider names none
	amount bigint, -- nano-dollars. Figures that the provider does not report are null
	input_tokens bigint,
	output_tokens bigint,
	requests bigint,
	PRIMARY KEY (account_id, day, model, key)
);

-- The days that a provider has reported, also those without charges.
CREATE TABLE supplier_days (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL,
	fetched_at timestamp, -- null: not reported yet
	compared_at timestamp, -- null: not compared yet. The other columns are the result
	status text,
	reason text,
	amount bigint,
	own_cost bigint,
	difference bigint,
	requests bigint,
	unpriced bigint,
	PRIMARY KEY (account_id, day)
);
CREATE INDEX supplier_days_by_day ON supplier_days (day);

-- What our usage logs say about the days of a billing account, and the results of the comparison.
CREATE TABLE supplier_own (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL,
	model text NOT NULL, -- id that was sent to the channel
	key text NOT NULL, -- mask of the credential; empty: none
	cost bigint NOT NULL, -- supplier costs that are known, in nano-dollars
	input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	requests bigint NOT NULL,
	unpriced bigint NOT NULL, -- requests without a supplier cost
	estimated bigint NOT NULL, -- requests with estimated counts
	PRIMARY KEY (account_id, day, model, key)
);

-- How many calls of a channel had such a charge, by kind and day. Each slot is used for every eighth day, which bounds the
-- table.
CREATE TABLE unpriced_calls (
	channel_id uuid NOT NULL,
	kind bigint NOT NULL,
	slot bigint NOT NULL,
	day bigint NOT NULL, -- since 1970, UTC
	calls bigint NOT NULL,
	PRIMARY KEY (channel_id, kind, slot)
);

-- The keys of calls with an Idempotency-Key, and the sealed answers of those that have ended.
CREATE TABLE idempotency_keys (
	id text PRIMARY KEY, -- of the first call
	tenant_id text NOT NULL,
	token_id text NOT NULL,
	key_hash blob NOT NULL,
	request_mark blob NOT NULL, -- keyed hash of the path and the body
	relay_id text NOT NULL, -- serves the first call
	state text NOT NULL CHECK (state IN ('running', 'answered', 'charged')),
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL,
	size bigint NOT NULL DEFAULT 0, -- of answer in bytes
	answer blob, -- only if answered
	-- Whether the answer of the first call was lost because its relay failed, only if charged.
	answer_lost boolean NOT NULL DEFAULT false,
	UNIQUE (token_id, key_hash)
);
CREATE INDEX idempotency_keys_by_end ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_running ON idempotency_keys (relay_id) WHERE state = 'running';
CREATE INDEX idempotency_keys_kept ON idempotency_keys (tenant_id, size) WHERE size > 0;

-- Alerts: rules say what to watch, destinations where to report it. alerts is the history, and alert_deliveries the outbox:
-- a row of each is inserted in one transaction, so no alert is lost. A null tenant_id means the platform's own.
CREATE TABLE alert_destinations (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	kind text NOT NULL,
	name text NOT NULL,
	mail_to text REFERENCES users, -- the user who gets the mails; null for other kinds
	shown text NOT NULL, -- the part of the URL that may be shown
	url blob, -- sealed: it may hold a password
	secret blob, -- sealed: signs the requests; null unless the kind is webhook
	language text NOT NULL,
	status text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX alert_destinations_by_tenant ON alert_destinations (tenant_id, id);

CREATE TABLE alert_rules (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	name text NOT NULL,
	kind text NOT NULL,
	subject text NOT NULL, -- kind of the owner of the quota; empty: the platform
	subject_id text, -- null: each owner of the kind
	period text NOT NULL, -- of the budget; empty: the quota
	thresholds text NOT NULL, -- numbers: percent, days, or minutes
	destinations text NOT NULL, -- ids
	status text NOT NULL,
	created_at timestamp NOT NULL
);
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, id);

CREATE TABLE alerts (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants,
	rule_id text, -- null: a test. The rule may be deleted
	mark text NOT NULL UNIQUE, -- rule, subject, window and threshold: a second alert with the same mark is not raised
	facts text NOT NULL, -- what happened
	created_at timestamp NOT NULL,
	expires_at timestamp NOT NULL -- when the alert is deleted
);
CREATE INDEX alerts_by_tenant ON alerts (tenant_id, id);
CREATE INDEX alerts_by_rule ON alerts (rule_id, created_at);
CREATE INDEX alerts_expired ON alerts (expires_at);

CREATE TABLE alert_deliveries (
	id text PRIMARY KEY,
	alert_id text NOT NULL REFERENCES alerts ON DELETE CASCADE,
	tenant_id text REFERENCES tenants,
	destination_id text NOT NULL REFERENCES alert_destinations ON DELETE CASCADE,
	state text NOT NULL, -- waiting, delivered or failed
	attempts bigint NOT NULL,
	lease_id text, -- of the claim of the worker that delivers it
	due_at timestamp NOT NULL, -- time from which a worker may deliver it or take it over
	error text NOT NULL, -- of the last attempt; empty: none
	ended_at timestamp
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
CREATE INDEX alert_deliveries_by_destination ON alert_deliveries (destination_id);

-- How fast and how reliable models responded, by hour. step places the time to the first token of streams on a logarithmic
-- scale (core/usage, Speed); 0 has all other calls. Rows older than two days are deleted.
CREATE TABLE usage_speed_outbox (
	id integer PRIMARY KEY AUTOINCREMENT,
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	model text NOT NULL,
	step bigint NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	output_tokens bigint NOT NULL, -- of the calls whose generation was measured
	generation_ms bigint NOT NULL
);

CREATE TABLE usage_speeds_hourly (
	start timestamp NOT NULL,
	tenant_id text NOT NULL,
	model text NOT NULL,
	step bigint NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	output_tokens bigint NOT NULL,
	generation_ms bigint NOT NULL,
	PRIMARY KEY (tenant_id, model, start, step)
);
CREATE INDEX usage_speeds_hourly_by_start ON usage_speeds_hourly (start);

CREATE TRIGGER ledger_is_not_updated BEFORE UPDATE ON ledger
BEGIN
	SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;

CREATE TRIGGER ledger_is_not_deleted BEFORE DELETE ON ledger
BEGIN
	SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;

-- The quota granted to a tenant is the sum of its ledger entries, and changes only together with the ledger.
CREATE TRIGGER wallets_follow_the_ledger BEFORE UPDATE OF granted ON accounts
WHEN NEW.kind = 'tenant' AND NEW.granted <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE tenant_id = NEW.id)
BEGIN
	SELECT RAISE(ABORT, 'a wallet is granted what its ledger says');
END;
