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
