-- The schema of Tollgate on Postgres. README.md has the rules for the steps after this one.

CREATE TABLE tenants (
	id uuid PRIMARY KEY,
	slug text NOT NULL UNIQUE,
	name text NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL,
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
-- The order of tenants by name.
CREATE INDEX tenants_by_name ON tenants (name, id);

CREATE TABLE groups (
	id uuid PRIMARY KEY,
	name text NOT NULL UNIQUE,
	models jsonb NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL,
	limit_requests bigint NOT NULL DEFAULT 0,
	limit_tokens bigint NOT NULL DEFAULT 0,
	limit_concurrency bigint NOT NULL DEFAULT 0
);

CREATE TABLE users (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	email text NOT NULL UNIQUE,
	password_hash text NOT NULL,
	role text NOT NULL,
	group_id uuid REFERENCES groups,
	status text NOT NULL,
	created_at timestamptz NOT NULL,
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
	id text COLLATE "C" PRIMARY KEY,
	owned_by text NOT NULL,
	status text NOT NULL,
	free boolean NOT NULL,
	max_output bigint NOT NULL,
	created_at timestamptz NOT NULL,
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
	id uuid PRIMARY KEY,
	model text COLLATE "C" NOT NULL REFERENCES models,
	effective_from timestamptz NOT NULL,
	input_rate bigint,
	cached_input_rate bigint,
	cache_write_rate bigint,
	audio_input_rate bigint,
	output_rate bigint,
	reasoning_rate bigint,
	audio_output_rate bigint,
	request_rate bigint,
	created_at timestamptz NOT NULL,
	-- A version can be withdrawn before it takes effect. It then never takes effect.
	withdrawn_at timestamptz,
	-- All rates of a price, as JSON in the form of the API. It is null in old rows, whose rates are in the columns above.
	rates jsonb
);
CREATE INDEX prices_by_model ON prices (model, id);

CREATE TABLE group_rules (
	id uuid PRIMARY KEY,
	group_id uuid NOT NULL REFERENCES groups,
	model text COLLATE "C" REFERENCES models,
	effective_from timestamptz NOT NULL,
	multiplier bigint NOT NULL,
	fixed bigint,
	created_at timestamptz NOT NULL,
	withdrawn_at timestamptz
);
CREATE INDEX group_rules_by_group ON group_rules (group_id, id);

CREATE TABLE channels (
	id uuid PRIMARY KEY,
	name text NOT NULL UNIQUE,
	type text NOT NULL,
	base_url text NOT NULL,
	keys jsonb NOT NULL,
	dialects jsonb NOT NULL,
	models jsonb NOT NULL,
	priority bigint NOT NULL,
	weight bigint NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL,
	-- Policy for a response whose client disconnects: 'cancel' the upstream request, or 'drain' it to learn its usage.
	on_disconnect text NOT NULL DEFAULT 'cancel',
	-- Settings by which a channel differs from the defaults of its type. json and not jsonb, which would change the spelling
	-- of numbers.
	settings json NOT NULL DEFAULT '{}',
	-- The slug of the tenant to which the channel's account belongs alone, "" for none.
	account_of text NOT NULL DEFAULT '',
	-- Whether calls go to the channel that could cause a charge without a price: 'allow' or 'refuse'. Consoles create
	-- channels that refuse.
	unpriced text NOT NULL DEFAULT 'allow'
);

CREATE TABLE tokens (
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL REFERENCES tenants,
	user_id uuid NOT NULL REFERENCES users,
	name text NOT NULL,
	mask text NOT NULL,
	hash bytea NOT NULL UNIQUE,
	models jsonb NOT NULL,
	addresses jsonb NOT NULL,
	status text NOT NULL,
	expires_at timestamptz,
	created_at timestamptz NOT NULL,
	last_used timestamptz,
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
-- The order of all tokens by name. The list of a tenant or user has an index of its own.
CREATE INDEX tokens_by_name ON tokens (name, id);
-- The order of a tenant's tokens by name.
CREATE INDEX tokens_by_tenant_and_name ON tokens (tenant_id, name, id);
-- The order of a user's tokens by name.
CREATE INDEX tokens_by_user_and_name ON tokens (user_id, name, id);
-- The order of all tokens by their last use. The expression is that of Time in libs/store/page: tokens never used are the first.
CREATE INDEX tokens_by_last_use ON tokens ((CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
-- The order of a tenant's tokens by their last use.
CREATE INDEX tokens_by_tenant_and_last_use ON tokens (tenant_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
-- The order of a user's tokens by their last use.
CREATE INDEX tokens_by_user_and_last_use ON tokens (user_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);

-- The id of an account is the id of its owner. The fill factor leaves room on each page, so that updates of the
-- counters stay on the page and need no new index entry.
CREATE TABLE accounts (
	id uuid PRIMARY KEY,
	kind text NOT NULL,
	tenant_id uuid,
	user_id uuid,
	granted bigint,
	used bigint NOT NULL DEFAULT 0,
	leased bigint NOT NULL DEFAULT 0,
	-- Each window has an account of its own, which is created when the window is first used. The other accounts have the id
	-- of their owner and no window.
	owner_id uuid,
	period text NOT NULL DEFAULT '',
	window_start timestamptz,
	CHECK (kind <> 'tenant' OR granted IS NOT NULL),
	CHECK ((period = '') = (owner_id IS NULL)),
	CHECK ((period = '') = (window_start IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX accounts_by_window ON accounts (owner_id, period, window_start) WHERE owner_id IS NOT NULL;
CREATE INDEX accounts_by_start ON accounts (window_start) WHERE window_start IS NOT NULL;

CREATE TABLE ledger (
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL REFERENCES tenants,
	amount bigint NOT NULL,
	reason text NOT NULL,
	actor text NOT NULL,
	created_at timestamptz NOT NULL,
	-- kind is the kind of an entry, granted the sum of the tenant's entries up to this one, and transfer_id names the two
	-- entries of a transfer. idempotency_key is a key that the client chose: a repeated request finds the entry of the first.
	kind text NOT NULL CHECK (kind IN ('grant', 'adjustment', 'transfer')),
	granted bigint NOT NULL,
	transfer_id uuid,
	counterpart uuid REFERENCES tenants,
	idempotency_key text UNIQUE,
	CHECK ((kind = 'transfer') = (transfer_id IS NOT NULL)),
	CHECK ((kind = 'transfer') = (counterpart IS NOT NULL))
);
CREATE INDEX ledger_by_tenant ON ledger (tenant_id, id);
CREATE INDEX ledger_by_transfer ON ledger (transfer_id) WHERE transfer_id IS NOT NULL;

CREATE TABLE leases (
	relay_id uuid NOT NULL,
	account_id uuid NOT NULL,
	amount bigint NOT NULL CHECK (amount >= 0),
	renewed_at timestamptz NOT NULL,
	-- spent is what was spent of a lease since it began. stamp is the last operation on it, by which a duplicate or late
	-- message is recognized and ignored.
	spent bigint NOT NULL DEFAULT 0,
	stamp bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (relay_id, account_id)
) WITH (fillfactor = 50);

-- Partitioned by month, by the time that a UUIDv7 begins with, so that the primary key alone refuses duplicates. There
-- are no foreign keys: an event is recorded even if an object that it names is gone.
CREATE TABLE usage_logs (
	id uuid NOT NULL,
	created_at timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	group_id uuid,
	channel_id uuid,
	relay_id uuid,
	price_id uuid,
	rule_id uuid,
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
	model text COLLATE "C" NOT NULL,
	upstream_model text NOT NULL,
	dialect text NOT NULL,
	error text NOT NULL,
	attempts json NOT NULL,
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
	cost_id uuid,
	-- What a call is attributed to besides its user and its token. tags is an object of strings.
	end_user text,
	tags json,
	-- The kinds of charges of a call that have no price, as a set of bits (libs/core/charge).
	unpriced integer NOT NULL DEFAULT 0,
	-- What the upstream says it charges for a call, in nano-dollars; NULL if it states nothing.
	reported_cost bigint,
	-- Not used any more.
	left_out text,
	-- The paths of what the relay ignored of a call's request, separated by commas.
	ignored_fields text,
	PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX usage_logs_by_tenant ON usage_logs (tenant_id, id);
CREATE INDEX usage_logs_by_user ON usage_logs (user_id, id);
CREATE INDEX usage_logs_by_token ON usage_logs (token_id, id);
CREATE INDEX usage_logs_by_model ON usage_logs (tenant_id, model, id);
CREATE INDEX usage_logs_by_channel ON usage_logs (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX usage_logs_bad ON usage_logs (tenant_id, outcome, id) WHERE outcome <> 'success';
-- For the searches of operators across all tenants. The condition differs from that of usage_logs_bad on purpose: with
-- the same condition, Postgres could choose this index for queries that usage_logs_bad serves better.
CREATE INDEX usage_logs_by_outcome ON usage_logs (outcome, id) WHERE outcome IN ('partial', 'failed');

-- Takes the rows of months that have no partition yet.
CREATE TABLE usage_logs_default PARTITION OF usage_logs DEFAULT;

CREATE TABLE usage_outbox (
	id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	channel_id uuid NOT NULL,
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
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	channel_id uuid NOT NULL,
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
) WITH (fillfactor = 80);
CREATE INDEX usage_rollups_hourly_by_start ON usage_rollups_hourly (start);

CREATE TABLE usage_rollups_daily (LIKE usage_rollups_hourly INCLUDING ALL) WITH (fillfactor = 80);

-- For the usage of one user or token, in a tenant with many rollups.
CREATE INDEX usage_rollups_hourly_by_user ON usage_rollups_hourly (user_id, start);
CREATE INDEX usage_rollups_hourly_by_token ON usage_rollups_hourly (token_id, start);
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
	ref uuid,
	created_at timestamptz NOT NULL
);

CREATE TABLE audit_log (
	id uuid PRIMARY KEY,
	tenant_id uuid,
	actor_id uuid,
	actor text NOT NULL,
	action text NOT NULL,
	target text NOT NULL,
	detail jsonb NOT NULL,
	created_at timestamptz NOT NULL,
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
	id uuid PRIMARY KEY,
	seen_at timestamptz NOT NULL,
	reclaims bigint NOT NULL DEFAULT 0,
	-- What a relay reports about itself with each heartbeat.
	version text NOT NULL DEFAULT '',
	state text NOT NULL DEFAULT '',
	started_at timestamptz,
	in_flight bigint NOT NULL DEFAULT 0,
	spool_events bigint NOT NULL DEFAULT 0,
	spool_bytes bigint NOT NULL DEFAULT 0,
	spool_oldest_at timestamptz,
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
	start timestamptz PRIMARY KEY,
	mark uuid NOT NULL,
	open boolean NOT NULL,
	checked_at timestamptz
) WITH (fillfactor = 50);

-- The differences that the last check found. A difference without an account has the zero id, one without an hour the
-- year 1.
CREATE TABLE reconcile_drifts (
	check_name text NOT NULL,
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	account_id uuid NOT NULL,
	measure text NOT NULL,
	expected bigint NOT NULL,
	found bigint NOT NULL,
	difference bigint NOT NULL,
	first_seen timestamptz NOT NULL,
	last_seen timestamptz NOT NULL,
	PRIMARY KEY (check_name, start, tenant_id, account_id, measure)
);

CREATE TABLE reconcile_state (
	id integer PRIMARY KEY CHECK (id = 1),
	opened_until timestamptz,
	last_tenant uuid,
	finished_at timestamptz,
	hours bigint NOT NULL
);
INSERT INTO reconcile_state (id, hours) VALUES (1, 0);

-- Usage logs before dropped_before may be deleted.
CREATE TABLE usage_retention (
	id integer PRIMARY KEY CHECK (id = 1),
	dropped_before timestamptz
);
INSERT INTO usage_retention (id) VALUES (1);

-- The most that an owner may spend in each day, week or month. A cap that was removed keeps its row without an amount,
-- because relays may still ask for its window.
CREATE TABLE caps (
	owner_id uuid NOT NULL,
	period text NOT NULL CHECK (period IN ('day', 'week', 'month')),
	kind text NOT NULL,
	tenant_id uuid,
	user_id uuid,
	amount bigint CHECK (amount >= 0),
	PRIMARY KEY (owner_id, period)
);

-- Rollups over all users and tokens: of each tenant, and with a tenant_id of zeros, which no tenant has, of the whole
-- platform. Their number depends only on the models and channels in use.
CREATE TABLE usage_totals_hourly (
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	channel_id uuid NOT NULL,
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
) WITH (fillfactor = 80);
CREATE INDEX usage_totals_hourly_by_start ON usage_totals_hourly (start);

CREATE TABLE usage_totals_daily (LIKE usage_totals_hourly INCLUDING ALL) WITH (fillfactor = 80);

-- Credentials of channels that their upstreams have refused: no relay uses them.
CREATE TABLE disabled_credentials (
	channel_id uuid NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
	fingerprint text NOT NULL,
	reason text NOT NULL,
	since timestamptz NOT NULL,
	PRIMARY KEY (channel_id, fingerprint)
);

-- The last report of each relay about unhealthy channels.
CREATE TABLE channel_health (
	relay_id uuid NOT NULL,
	channel_id uuid NOT NULL,
	model text NOT NULL,
	fingerprint text NOT NULL,
	mask text NOT NULL,
	state text NOT NULL,
	word text NOT NULL,
	failures bigint NOT NULL,
	until timestamptz NOT NULL,
	said_at timestamptz NOT NULL,
	-- The ids of the tenants whose calls a report concerns, as a JSON array; '' for all tenants.
	tenants text NOT NULL DEFAULT '',
	PRIMARY KEY (relay_id, channel_id, model, fingerprint)
);
CREATE INDEX channel_health_by_channel ON channel_health (channel_id);

-- The result of the last probe of each credential.
CREATE TABLE channel_probes (
	channel_id uuid NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
	fingerprint text NOT NULL,
	status bigint NOT NULL,
	latency_us bigint NOT NULL,
	error text NOT NULL,
	probed_at timestamptz NOT NULL,
	PRIMARY KEY (channel_id, fingerprint)
);

-- Responses that relays translated from another dialect. The upstream does not store them.
CREATE TABLE responses (
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	model text NOT NULL,
	previous_id uuid,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL, -- time from which the response is not found
	kept_until timestamptz NOT NULL, -- time from which the row may be deleted; responses that continue this one need it for longer
	size bigint NOT NULL,
	input bytea NOT NULL,
	body bytea NOT NULL
);
CREATE INDEX responses_by_end ON responses (kept_until);

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
	expires_at timestamptz NOT NULL,
	-- When the user of the session last proved the identity again; null: not since the sign-in.
	confirmed_at timestamptz,
	-- What the session has granted, adjusted and transferred without a recent confirmation of its user, in nano-dollars.
	unconfirmed bigint NOT NULL DEFAULT 0
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
	-- The account that waits for the person who opens the link, null if the link makes one; and the proof that opening it gives.
	user_id uuid,
	proof text NOT NULL DEFAULT 'link',
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
	expires_at timestamptz NOT NULL,
	proof text NOT NULL DEFAULT ''
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
	expires_at timestamptz NOT NULL,
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

-- Long-running work that a user requested, and its result.
CREATE TABLE jobs (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants ON DELETE CASCADE, -- null for an operator
	user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
	role text NOT NULL, -- the role of the user at that time
	kind text NOT NULL,
	status text NOT NULL,
	parameters jsonb NOT NULL,
	input bytea, -- sealed; readable by the worker only, deleted when the job ends
	done bigint NOT NULL,
	total bigint NOT NULL, -- 0 if it is not known
	checkpoint bytea, -- where the next attempt continues
	attempts bigint NOT NULL, -- since the last checkpoint
	lease_id uuid, -- id of the claim of the worker that runs the job
	due_at timestamptz NOT NULL, -- time from which a worker may start the job or take it over
	parts bigint NOT NULL,
	size bigint NOT NULL, -- bytes of the file as it is downloaded
	stored bigint NOT NULL, -- bytes of its parts
	result jsonb,
	secret bytea, -- sealed; returned once
	error text NOT NULL,
	message text NOT NULL,
	created_at timestamptz NOT NULL,
	started_at timestamptz,
	finished_at timestamptz,
	expires_at timestamptz -- time from which the job may be deleted; null until the job ends
);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The file of a job. Each part is a gzip member of its own.
CREATE TABLE job_parts (
	job_id uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
	seq bigint NOT NULL,
	tenant_id uuid, -- tenant of the job
	user_id uuid NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (job_id, seq)
);
ALTER TABLE job_parts ALTER COLUMN data SET STORAGE EXTERNAL; -- it does not compress any further

-- Mail that waits to be sent. The row is deleted when the mail was sent or sending was given up.
CREATE TABLE mails (
	id uuid PRIMARY KEY,
	tenant_id uuid, -- tenant whose share of the queue the mail uses; null for the platform
	kind text NOT NULL,
	content bytea NOT NULL, -- sealed: the address and the text
	attempts bigint NOT NULL,
	lease_id uuid, -- id of the claim of the process that sends the mail
	due_at timestamptz NOT NULL, -- time from which a process may send the mail or take it over
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- time from which the mail is useless and is not sent
);
CREATE INDEX mails_due ON mails (due_at);
CREATE INDEX mails_by_share ON mails (tenant_id, kind);

-- Not used any more.
CREATE TABLE upgrades (
	name text PRIMARY KEY, at timestamptz NOT NULL
);

-- The chain of hashes over the audit log, one for each tenant; the platform has the tenant of zeros. Links are added after
-- their entries, so that no change waits for another one of its tenant. Entries from before started_at have no link.
CREATE TABLE audit_chain (
	tenant_id uuid NOT NULL,
	seq bigint NOT NULL,
	entry_id uuid NOT NULL UNIQUE,
	hash bytea NOT NULL,
	PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE audit_chain_start (
	id integer PRIMARY KEY,
	started_at timestamptz NOT NULL
);
INSERT INTO audit_chain_start VALUES (1, now());

-- Where the chain of a tenant begins after its oldest links were deleted: number and hash of the last deleted link.
CREATE TABLE audit_anchors (
	tenant_id uuid PRIMARY KEY,
	seq bigint NOT NULL,
	hash bytea NOT NULL
);

-- What the audit log has an entry for on a day, so that all consoles together write one: the first use of an access key on a
-- day from an address. Rows of past days are deleted.
CREATE TABLE audit_days (
	day text COLLATE "C" NOT NULL, -- such as 2026-05-01, in UTC
	action text COLLATE "C" NOT NULL,
	target text COLLATE "C" NOT NULL,
	address text COLLATE "C" NOT NULL,
	PRIMARY KEY (day, action, target, address)
);

-- The OpenID Connect issuer of a tenant. The role of tenants writes the secret and cannot read it.
CREATE TABLE issuers (
	tenant_id uuid PRIMARY KEY REFERENCES tenants,
	url text NOT NULL,
	client_id text NOT NULL,
	client_secret bytea NOT NULL, -- sealed for the tenant
	create_members boolean NOT NULL,
	default_role text NOT NULL,
	default_group_id uuid NOT NULL REFERENCES groups,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	-- Whether an address counts as verified of which the tenant's issuer does not say so, and the claims that its ID tokens must have.
	trust_email boolean NOT NULL DEFAULT false,
	required_claims jsonb NOT NULL DEFAULT '[]'
);

-- The domains of the addresses that an issuer signs in. Several tenants may name a domain, and operators approve it for one.
CREATE TABLE issuer_domains (
	tenant_id uuid NOT NULL REFERENCES tenants,
	domain text NOT NULL,
	approved_at timestamptz, -- null: the sign-in page does not send addresses of the domain to the issuer
	PRIMARY KEY (tenant_id, domain)
);
CREATE UNIQUE INDEX issuer_domains_approved ON issuer_domains (domain) WHERE approved_at IS NOT NULL;

-- What the upstream of a channel charges, by its model. Rows never change, apart from being withdrawn before they take effect.
-- Tenants have no right to read them.
CREATE TABLE channel_costs (
	id uuid PRIMARY KEY,
	channel_id uuid NOT NULL REFERENCES channels,
	upstream_model text NOT NULL,
	effective_from timestamptz NOT NULL,
	rates jsonb NOT NULL, -- in the form of prices.rates
	factor bigint NOT NULL, -- billionths
	created_at timestamptz NOT NULL,
	withdrawn_at timestamptz
);
CREATE INDEX channel_costs_by_channel ON channel_costs (channel_id, id);

-- The supplier's costs by hour and day. They are in tables of their own, so that a worker of the previous release leaves them
-- alone, and so that tenants have no right to read them (docs/adr/supplier-costs.md).
CREATE TABLE usage_cost_outbox (
	id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	channel_id uuid NOT NULL,
	requests bigint NOT NULL, -- calls whose cost is known
	quota bigint NOT NULL, -- of these calls
	supplier_cost bigint NOT NULL
);

-- Rows with a tenant_id of zeros, which no tenant has, are the sums over all tenants.
CREATE TABLE usage_costs_hourly (
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	channel_id uuid NOT NULL,
	requests bigint NOT NULL,
	quota bigint NOT NULL,
	supplier_cost bigint NOT NULL,
	PRIMARY KEY (tenant_id, start, model, channel_id)
) WITH (fillfactor = 80);
CREATE INDEX usage_costs_hourly_by_start ON usage_costs_hourly (start);

CREATE TABLE usage_costs_daily (LIKE usage_costs_hourly INCLUDING ALL) WITH (fillfactor = 80);

-- The file of the price catalog that an operator uploaded or the worker fetched, in one row. Without a row, or with a null file,
-- the one that ships with the product applies. It belongs to the platform and has no rows of tenants.
CREATE TABLE price_catalog (
	id smallint PRIMARY KEY, -- always 1
	file text,
	sha256 text NOT NULL DEFAULT '', -- of the file, in hexadecimal
	source text NOT NULL DEFAULT '', -- "upload", or the URL from which the worker fetched the file
	stored_at timestamptz,
	checked_at timestamptz, -- when the worker last fetched the URL
	fault text NOT NULL DEFAULT '' -- why the last fetch failed; '' if it succeeded
);

-- Usage by day and tag, and by day and end user (docs/attribution.md). name is a tag's, or '*user' for end users, or '*' for
-- the tags of a day beyond 32. The value '' has the sum over all values of the name, those without a row included.
CREATE TABLE usage_attribution_outbox (
	id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	start timestamptz NOT NULL, -- of the day, UTC
	tenant_id uuid NOT NULL,
	name text COLLATE "C" NOT NULL,
	value text COLLATE "C" NOT NULL,
	requests bigint NOT NULL,
	input_tokens bigint NOT NULL, -- of all classes
	output_tokens bigint NOT NULL, -- of all classes
	quota bigint NOT NULL
);
-- The worker takes the oldest rows of each tenant in turn, so that no tenant's rows wait for those of another.
CREATE INDEX usage_attribution_outbox_by_tenant ON usage_attribution_outbox (tenant_id, id);

CREATE TABLE usage_attribution_daily (
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	name text COLLATE "C" NOT NULL,
	value text COLLATE "C" NOT NULL,
	requests bigint NOT NULL,
	input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	quota bigint NOT NULL,
	PRIMARY KEY (tenant_id, name, start, value)
) WITH (fillfactor = 80);
CREATE INDEX usage_attribution_daily_names ON usage_attribution_daily (tenant_id, start, name) WHERE value = '';
CREATE INDEX usage_attribution_daily_by_start ON usage_attribution_daily (start);

-- Billing accounts at providers, and what the providers say that they charged. Only operators see these tables. The console
-- writes the credential and cannot read it; the worker reads it.
CREATE TABLE billing_accounts (
	id uuid PRIMARY KEY,
	name text NOT NULL UNIQUE,
	provider text NOT NULL,
	base_url text NOT NULL,
	status text NOT NULL,
	channels jsonb NOT NULL, -- ids of the channels whose calls the account pays
	keys jsonb NOT NULL, -- the provider's ids of keys, with the masks of the same keys
	credential bytea, -- sealed for the account; null: none
	sealed_with text NOT NULL, -- name of the key that sealed the credential; empty: none
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	due_at timestamptz NOT NULL, -- when the account is fetched next
	fetched_at timestamptz, -- of the last successful fetch
	failures integer NOT NULL, -- consecutive failed fetches
	error text NOT NULL -- of the last fetch; empty: none
);
CREATE INDEX billing_accounts_due ON billing_accounts (due_at);

CREATE TABLE supplier_charges (
	account_id uuid NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text COLLATE "C" NOT NULL, -- UTC day, such as 2026-11-23
	model text COLLATE "C" NOT NULL, -- empty: the provider names none
	key text COLLATE "C" NOT NULL, -- the provider's id of the key; empty: the provider names none
	amount bigint, -- nano-dollars. Figures that the provider does not report are null
	input_tokens bigint,
	output_tokens bigint,
	requests bigint,
	PRIMARY KEY (account_id, day, model, key)
);

-- The days that a provider has reported, also those without charges.
CREATE TABLE supplier_days (
	account_id uuid NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text COLLATE "C" NOT NULL,
	fetched_at timestamptz, -- null: not reported yet
	compared_at timestamptz, -- null: not compared yet. The other columns are the result
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
	account_id uuid NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text COLLATE "C" NOT NULL,
	model text COLLATE "C" NOT NULL, -- id that was sent to the channel
	key text COLLATE "C" NOT NULL, -- mask of the credential; empty: none
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
	id uuid PRIMARY KEY, -- of the first call
	tenant_id uuid NOT NULL,
	token_id uuid NOT NULL,
	key_hash bytea NOT NULL,
	request_mark bytea NOT NULL, -- keyed hash of the path and the body
	relay_id uuid NOT NULL, -- serves the first call
	state text NOT NULL CHECK (state IN ('running', 'answered', 'charged')),
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	size bigint NOT NULL DEFAULT 0, -- of answer in bytes
	answer bytea, -- only if answered
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
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	kind text NOT NULL,
	name text NOT NULL,
	mail_to uuid REFERENCES users, -- the user who gets the mails; null for other kinds
	shown text NOT NULL, -- the part of the URL that may be shown
	url bytea, -- sealed: it may hold a password
	secret bytea, -- sealed: signs the requests; null unless the kind is webhook
	language text NOT NULL,
	status text NOT NULL,
	created_at timestamptz NOT NULL
);
CREATE INDEX alert_destinations_by_tenant ON alert_destinations (tenant_id, id);

CREATE TABLE alert_rules (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	name text NOT NULL,
	kind text NOT NULL,
	subject text NOT NULL, -- kind of the owner of the quota; empty: the platform
	subject_id uuid, -- null: each owner of the kind
	period text NOT NULL, -- of the budget; empty: the quota
	thresholds jsonb NOT NULL, -- numbers: percent, days, or minutes
	destinations jsonb NOT NULL, -- ids
	status text NOT NULL,
	created_at timestamptz NOT NULL
);
CREATE INDEX alert_rules_by_tenant ON alert_rules (tenant_id, id);

CREATE TABLE alerts (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants,
	rule_id uuid, -- null: a test. The rule may be deleted
	mark text NOT NULL UNIQUE, -- rule, subject, window and threshold: a second alert with the same mark is not raised
	facts jsonb NOT NULL, -- what happened
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL -- when the alert is deleted
);
CREATE INDEX alerts_by_tenant ON alerts (tenant_id, id);
CREATE INDEX alerts_by_rule ON alerts (rule_id, created_at);
CREATE INDEX alerts_expired ON alerts (expires_at);

CREATE TABLE alert_deliveries (
	id uuid PRIMARY KEY,
	alert_id uuid NOT NULL REFERENCES alerts ON DELETE CASCADE,
	tenant_id uuid REFERENCES tenants,
	destination_id uuid NOT NULL REFERENCES alert_destinations ON DELETE CASCADE,
	state text NOT NULL, -- waiting, delivered or failed
	attempts bigint NOT NULL,
	lease_id uuid, -- of the claim of the worker that delivers it
	due_at timestamptz NOT NULL, -- time from which a worker may deliver it or take it over
	error text NOT NULL, -- of the last attempt; empty: none
	ended_at timestamptz
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX alert_deliveries_by_alert ON alert_deliveries (alert_id);
CREATE INDEX alert_deliveries_by_destination ON alert_deliveries (destination_id);

-- How fast and how reliable models responded, by hour. step places the time to the first token of streams on a logarithmic
-- scale (core/usage, Speed); 0 has all other calls. The tables are apart from the rollups, so that a worker of the previous
-- release leaves them alone, and because rows older than two days are deleted.
CREATE TABLE usage_speed_outbox (
	id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	step bigint NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	output_tokens bigint NOT NULL, -- of the calls whose generation was measured
	generation_ms bigint NOT NULL
);

CREATE TABLE usage_speeds_hourly (
	start timestamptz NOT NULL,
	tenant_id uuid NOT NULL,
	model text COLLATE "C" NOT NULL,
	step bigint NOT NULL,
	requests bigint NOT NULL,
	failed bigint NOT NULL,
	output_tokens bigint NOT NULL,
	generation_ms bigint NOT NULL,
	PRIMARY KEY (tenant_id, model, start, step)
) WITH (fillfactor = 80);
CREATE INDEX usage_speeds_hourly_by_start ON usage_speeds_hourly (start);

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	RAISE EXCEPTION 'entries of the ledger are never changed' USING ERRCODE = 'integrity_constraint_violation';
END $body$;

CREATE TRIGGER ledger_is_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- The quota granted to a tenant is the sum of its ledger entries, and changes only together with the ledger.
CREATE FUNCTION check_wallet() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF NEW.granted <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE tenant_id = NEW.id) THEN
		RAISE EXCEPTION 'a wallet is granted what its ledger says' USING ERRCODE = 'integrity_constraint_violation';
	END IF;
	RETURN NEW;
END $body$;

CREATE TRIGGER wallets_follow_the_ledger BEFORE UPDATE OF granted ON accounts
	FOR EACH ROW WHEN (NEW.kind = 'tenant') EXECUTE FUNCTION check_wallet();

-- Deletes the oldest entries of a tenant (zeros: of the platform): at most batch entries with a link and batch entries
-- without one. It deletes only entries whose id, which begins with the time of writing, is older than before. It refuses a
-- time of the last 30 days, so a program that may call it, and may not delete rows itself, cannot remove recent entries. The
-- newest link stays, so that the chain continues from it. last_seq and last_hash are those of the new anchor, null if no
-- link was deleted.
CREATE FUNCTION prune_audit_log(of_tenant uuid, before timestamptz, batch integer, OUT last_seq bigint, OUT last_hash bytea, OUT deleted bigint)
LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	bound uuid;
	upto bigint;
	unlinked bigint;
BEGIN
	IF before IS NULL OR before < 'epoch' OR before > now() - interval '30 days' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'prune_audit_log: before must be at least 30 days ago';
	END IF;
	IF batch IS NULL OR batch NOT BETWEEN 1 AND 10000 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'prune_audit_log: batch must be between 1 and 10000';
	END IF;
	bound := (lpad(to_hex(floor(extract(epoch FROM before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	INSERT INTO audit_anchors VALUES (of_tenant, 0, '') ON CONFLICT DO NOTHING;
	PERFORM 1 FROM audit_anchors WHERE tenant_id = of_tenant FOR UPDATE; -- one call at a time

	SELECT least(coalesce(min(c.seq) FILTER (WHERE c.entry_id >= bound) - 1, max(c.seq)),
			(SELECT max(seq) - 1 FROM audit_chain WHERE tenant_id = of_tenant))
		INTO upto FROM (SELECT seq, entry_id FROM audit_chain WHERE tenant_id = of_tenant ORDER BY seq LIMIT batch) AS c;
	SELECT seq, hash INTO last_seq, last_hash FROM audit_chain WHERE tenant_id = of_tenant AND seq <= upto ORDER BY seq DESC LIMIT 1;
	UPDATE audit_anchors SET seq = last_seq, hash = last_hash WHERE tenant_id = of_tenant AND last_seq IS NOT NULL;
	WITH links AS (DELETE FROM audit_chain WHERE tenant_id = of_tenant AND seq <= upto RETURNING entry_id),
		gone AS (DELETE FROM audit_log USING links WHERE id = links.entry_id RETURNING id)
		SELECT count(*) INTO deleted FROM gone;

	WITH old AS (SELECT id FROM audit_log AS r WHERE (r.tenant_id = of_tenant OR r.tenant_id IS NULL AND of_tenant = uuid '00000000-0000-0000-0000-000000000000')
			AND r.id < bound AND NOT EXISTS (SELECT FROM audit_chain AS c WHERE c.entry_id = r.id) LIMIT batch),
		gone AS (DELETE FROM audit_log AS r USING old WHERE r.id = old.id RETURNING r.id)
		SELECT count(*) INTO unlinked FROM gone;
	deleted := deleted + unlinked;
END $body$;

-- The function runs with the rights of its owner. So it finds its tables in this schema whatever the caller's search_path is.
DO $body$
BEGIN
	EXECUTE format('ALTER FUNCTION prune_audit_log(uuid, timestamptz, integer) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $body$;

REVOKE EXECUTE ON FUNCTION prune_audit_log(uuid, timestamptz, integer) FROM PUBLIC;

-- Makes and drops the partitions of usage_logs. The functions run with the rights of the tables' owner, so that the worker
-- needs no right to change the schema (see migrations/roles.sql). What they can do is limited to whole months.

-- Creates the partition of a month and returns true, or returns false if it exists. The table is created on its own and
-- then attached, so that inserts into other partitions continue meanwhile. Rows of the month are moved from the default
-- partition first, because Postgres refuses to attach a partition for rows that the default partition has.
CREATE FUNCTION tollgate_make_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	starts CONSTANT timestamp := date_trunc('month', month);
	partition_name CONSTANT text := 'usage_logs_' || to_char(starts, 'YYYY_MM');
	-- The lowest ids of a UUIDv7 of this month and of the next: 48 bits of milliseconds, then zeros.
	lowest CONSTANT uuid := (lpad(to_hex((extract(epoch FROM starts) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	beyond CONSTANT uuid := (lpad(to_hex((extract(epoch FROM starts + interval '1 month') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
	columns text;
BEGIN
	PERFORM pg_advisory_xact_lock(1953459312); -- the bytes "tolp": one process changes partitions at a time
	IF to_regclass(partition_name) IS NOT NULL THEN
		RETURN false;
	END IF;
	SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
		FROM pg_attribute WHERE attrelid = 'usage_logs'::regclass AND attnum > 0 AND NOT attisdropped;
	EXECUTE format('CREATE TABLE %I (LIKE usage_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition_name);
	-- ATTACH PARTITION below needs both locks, and takes them in this order.
	EXECUTE 'LOCK TABLE ONLY usage_logs IN SHARE UPDATE EXCLUSIVE MODE';
	EXECUTE 'LOCK TABLE usage_logs_default IN ACCESS EXCLUSIVE MODE';
	EXECUTE format('INSERT INTO %I (%s) SELECT %2$s FROM usage_logs_default WHERE id >= $1 AND id < $2', partition_name, columns) USING lowest, beyond;
	EXECUTE 'DELETE FROM usage_logs_default WHERE id >= $1 AND id < $2' USING lowest, beyond;
	EXECUTE format('ALTER TABLE usage_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name, lowest, beyond);
	RETURN true;
END $body$;

-- Drops the partition of a month that has ended and returns true, or returns false if there is none. Postgres has a way to
-- detach with weaker locks, but does not support it for tables with a default partition.
CREATE FUNCTION tollgate_drop_partition(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $body$
DECLARE
	starts CONSTANT timestamp := date_trunc('month', month);
	partition_name CONSTANT text := 'usage_logs_' || to_char(starts, 'YYYY_MM');
BEGIN
	IF starts + interval '1 month' > now() AT TIME ZONE 'UTC' THEN
		RAISE EXCEPTION 'usage logs of % cannot be dropped: the month has not ended', to_char(starts, 'YYYY-MM');
	END IF;
	PERFORM pg_advisory_xact_lock(1953459312);
	IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(partition_name) AND inhparent = 'usage_logs'::regclass) THEN
		RETURN false;
	END IF;
	EXECUTE format('ALTER TABLE usage_logs DETACH PARTITION %I', partition_name);
	EXECUTE format('DROP TABLE %I', partition_name);
	RETURN true;
END $body$;

-- A relay may change a token only by hashing it again, which gives it the hash of another pepper.
CREATE FUNCTION tollgate_check_rehash() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF NEW.pepper_id = OLD.pepper_id OR NEW.hash = OLD.hash THEN
		RAISE EXCEPTION 'a relay changes the hash of a token only together with its pepper' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN NEW;
END $body$;

CREATE TRIGGER tokens_are_rehashed BEFORE UPDATE ON tokens FOR EACH ROW WHEN (current_user = 'tollgate_relay')
	EXECUTE FUNCTION tollgate_check_rehash();

-- A caller cannot put tables or functions of its own in place of those that the functions name. Waits for locks are
-- short, because all other statements on the table wait behind them.
DO $body$
BEGIN
	EXECUTE format('ALTER FUNCTION tollgate_make_partition(date) SET search_path = %I, pg_temp', current_schema());
	EXECUTE format('ALTER FUNCTION tollgate_drop_partition(date) SET search_path = %I, pg_temp', current_schema());
END $body$;

ALTER FUNCTION tollgate_make_partition(date) SET lock_timeout = '10s';

ALTER FUNCTION tollgate_drop_partition(date) SET lock_timeout = '1s';

REVOKE EXECUTE ON FUNCTION tollgate_make_partition(date), tollgate_drop_partition(date) FROM PUBLIC;

-- Row-level security, the second line of defense between tenants. What the store does for a user of a tenant, it does as
-- the role tollgate_tenant. That role has only the permissions that are granted here. Tables with a "wall" (policies that
-- tollgate_wall creates) show it only the rows of the tenant that the transaction names, whatever a statement asks for.
-- Nobody can log in as this role.
--
-- Roles belong to the whole cluster: the first database that is migrated creates this one.
DO $body$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_tenant') THEN
		CREATE ROLE tollgate_tenant NOLOGIN;
	END IF;
EXCEPTION
	WHEN duplicate_object OR unique_violation THEN
		NULL; -- created just now, by the migration of another database
	WHEN insufficient_privilege THEN
		RAISE insufficient_privilege USING MESSAGE = format(
			'%I may not create the role tollgate_tenant; a superuser may: CREATE ROLE tollgate_tenant NOLOGIN; GRANT tollgate_tenant TO %I', current_user, current_user);
END $body$;

-- The user that connects must be able to switch to the role. To check membership is not enough: the creator of a role is
-- a member and may still be unable to switch to it. So this tries the switch.
DO $body$
BEGIN
	SET LOCAL ROLE tollgate_tenant;
	RESET ROLE;
EXCEPTION WHEN insufficient_privilege THEN
	BEGIN
		EXECUTE format('GRANT tollgate_tenant TO %I', current_user);
	EXCEPTION
		WHEN unique_violation THEN
			NULL; -- granted just now, by the migration of another database
		WHEN insufficient_privilege THEN
			RAISE insufficient_privilege USING MESSAGE = format(
				'%I may not become the role tollgate_tenant; a superuser may let it: GRANT tollgate_tenant TO %I', current_user, current_user);
	END;
END $body$;

DO $body$
BEGIN
	IF NOT has_schema_privilege('tollgate_tenant', current_schema(), 'USAGE') THEN
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO tollgate_tenant', current_schema());
	END IF;
END $body$;

-- The tenant and the user that the transaction is limited to. A null user means all users of the tenant.
CREATE FUNCTION tollgate_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.tenant', true), '')::uuid
$body$;

CREATE FUNCTION tollgate_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $body$
	SELECT nullif(current_setting('tollgate.user', true), '')::uuid
$body$;

-- Puts a wall around a table. own is the condition for the rows that the tenant may see, granted lists the permissions of
-- the tenant role on the table, '' for none. "IS TRUE" around own keeps Postgres from choosing an index for it: queries
-- name the tenant themselves, and their plans stay the same as without a wall.
CREATE FUNCTION tollgate_wall(walled regclass, own text, granted text) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
	EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled);
	EXECUTE format('CREATE POLICY everybody ON %s USING (true)', walled);
	EXECUTE format('CREATE POLICY own ON %s AS RESTRICTIVE TO tollgate_tenant USING ((%s) IS TRUE)', walled, own);
	IF granted <> '' THEN
		EXECUTE format('GRANT %s ON %s TO tollgate_tenant', granted, walled);
	END IF;
END $body$;

-- The same for a table whose rows have a tenant and a user: members see only their own rows.
CREATE FUNCTION tollgate_wall(walled regclass, granted text) RETURNS void LANGUAGE sql AS $body$
	SELECT tollgate_wall(walled, 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id = (SELECT tollgate_user()))', granted)
$body$;
SELECT tollgate_wall('tokens', 'SELECT, INSERT, UPDATE');
SELECT tollgate_wall('usage_logs', 'SELECT');
SELECT tollgate_wall('usage_outbox', 'SELECT');
SELECT tollgate_wall('usage_rollups_hourly', 'SELECT');
SELECT tollgate_wall('usage_rollups_daily', 'SELECT');
SELECT tollgate_wall('responses', '');
SELECT tollgate_wall('sessions', 'SELECT, DELETE');
SELECT tollgate_wall('totps', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('recovery_codes', 'SELECT, INSERT, DELETE');
SELECT tollgate_wall('passkeys', 'SELECT, INSERT, UPDATE (name), DELETE');
SELECT tollgate_wall('identities', 'SELECT, DELETE');
SELECT tollgate_wall('access_keys', 'SELECT, INSERT, UPDATE (name), DELETE'); -- locking a row requires permission to update a column
SELECT tollgate_wall('jobs', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('job_parts', 'SELECT, DELETE');

-- Users create and delete these for other users, and only programs read them.
SELECT tollgate_wall('password_resets', 'SELECT (id, tenant_id, user_id), INSERT, DELETE');
SELECT tollgate_wall('challenges', 'SELECT (tenant_id, user_id), DELETE');
SELECT tollgate_wall('tenants', 'id = (SELECT tollgate_tenant())', 'SELECT, UPDATE (name)');
SELECT tollgate_wall('users', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE');
SELECT tollgate_wall('audit_log', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR actor_id = (SELECT tollgate_user()))', 'SELECT, INSERT');
SELECT tollgate_wall('invitations', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT, UPDATE (hash, status, sent_at, expires_at)');

-- Members see the account and the caps of their tenant besides their own accounts, but not its ledger and its totals.
SELECT tollgate_wall('accounts', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (granted)');
SELECT tollgate_wall('caps', 'tenant_id = (SELECT tollgate_tenant()) AND ((SELECT tollgate_user()) IS NULL OR user_id IS NULL OR user_id = (SELECT tollgate_user()))', 'SELECT, INSERT, UPDATE (amount)');
SELECT tollgate_wall('ledger', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_hourly', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('usage_totals_daily', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
SELECT tollgate_wall('reconcile_drifts', 'tenant_id = (SELECT tollgate_tenant())', '');

-- Objects of the platform that every tenant may read. Of channels, the URL and the credentials stay hidden.
GRANT SELECT ON groups, models, prices, group_rules, change_feed TO tollgate_tenant;
GRANT SELECT (id, name, type, dialects, models, priority, weight, status, created_at, on_disconnect) ON channels TO tollgate_tenant;

-- Only programs queue, read and delete mail, also in a transaction for a user: the tenant role has no permission.
SELECT tollgate_wall('mails', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', '');
GRANT UPDATE (proof) ON invitations TO tollgate_tenant;
GRANT UPDATE (require_second_factor) ON tenants TO tollgate_tenant;
SELECT tollgate_wall('audit_chain', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('audit_anchors', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('audit_days', 'false', '');
GRANT SELECT (account_of) ON channels TO tollgate_tenant;
SELECT tollgate_wall('issuers', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT (tenant_id, url, client_id, create_members, default_role, default_group_id, created_at, updated_at), INSERT, UPDATE, DELETE');
SELECT tollgate_wall('issuer_domains', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT, INSERT (tenant_id, domain), DELETE');
GRANT UPDATE (require_issuer) ON tenants TO tollgate_tenant;
SELECT tollgate_wall('usage_cost_outbox', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('usage_costs_hourly', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('usage_costs_daily', 'tenant_id = (SELECT tollgate_tenant())', '');
GRANT UPDATE (metadata_tags) ON tenants TO tollgate_tenant;
SELECT tollgate_wall('usage_attribution_outbox', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('usage_attribution_daily', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT');
GRANT UPDATE (include_quota) ON tenants TO tollgate_tenant;
SELECT tollgate_wall('idempotency_keys', 'tenant_id = (SELECT tollgate_tenant())', '');
GRANT UPDATE (optional_tools) ON tenants TO tollgate_tenant;

-- Users of a tenant write URLs and secrets and cannot read them.
SELECT tollgate_wall('alert_destinations', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT (id, tenant_id, kind, name, mail_to, shown, language, status, created_at), INSERT, UPDATE (name, status, secret), DELETE');
SELECT tollgate_wall('alert_rules', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT, UPDATE, DELETE');
SELECT tollgate_wall('alerts', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL', 'SELECT, INSERT');
SELECT tollgate_wall('alert_deliveries', 'tenant_id = (SELECT tollgate_tenant()) AND (SELECT tollgate_user()) IS NULL',
	'SELECT, INSERT, UPDATE (state, attempts, due_at, ended_at)');

-- Users of a tenant change the URL of a destination, which they cannot read. shown is the part that pages show.
GRANT UPDATE (url, shown) ON alert_destinations TO tollgate_tenant;
SELECT tollgate_wall('usage_speed_outbox', 'tenant_id = (SELECT tollgate_tenant())', '');
SELECT tollgate_wall('usage_speeds_hourly', 'tenant_id = (SELECT tollgate_tenant())', 'SELECT');
GRANT UPDATE (ignored_fields) ON tenants TO tollgate_tenant;
GRANT SELECT (trust_email, required_claims) ON issuers TO tollgate_tenant;
