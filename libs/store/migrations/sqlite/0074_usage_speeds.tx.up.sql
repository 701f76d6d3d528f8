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
