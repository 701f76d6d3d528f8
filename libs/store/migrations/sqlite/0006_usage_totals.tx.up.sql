-- For the searches of operators across all tenants. The condition differs from that of usage_logs_bad on purpose: with
-- the same condition, Postgres could choose this index for queries that usage_logs_bad serves better.
CREATE INDEX usage_logs_by_outcome ON usage_logs (outcome, id) WHERE outcome IN ('partial', 'failed');

-- For the usage of one user or token, in a tenant with many rollups.
CREATE INDEX usage_rollups_hourly_by_user ON usage_rollups_hourly (user_id, start);
CREATE INDEX usage_rollups_hourly_by_token ON usage_rollups_hourly (token_id, start);
CREATE INDEX usage_rollups_daily_by_user ON usage_rollups_daily (user_id, start);
CREATE INDEX usage_rollups_daily_by_token ON usage_rollups_daily (token_id, start);

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

INSERT INTO usage_totals_hourly (start, tenant_id, model, channel_id, requests, failed, partial, input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, quota)
SELECT start, tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial), sum(input_tokens), sum(cached_input_tokens), sum(cache_write_tokens), sum(audio_input_tokens), sum(output_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(quota)
FROM usage_rollups_hourly GROUP BY tenant_id, start, model, channel_id;
INSERT INTO usage_totals_hourly (start, tenant_id, model, channel_id, requests, failed, partial, input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, quota)
SELECT start, '00000000-0000-0000-0000-000000000000', model, channel_id, sum(requests), sum(failed), sum(partial), sum(input_tokens), sum(cached_input_tokens), sum(cache_write_tokens), sum(audio_input_tokens), sum(output_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(quota)
FROM usage_totals_hourly GROUP BY start, model, channel_id;
INSERT INTO usage_totals_daily (start, tenant_id, model, channel_id, requests, failed, partial, input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, quota)
SELECT start, tenant_id, model, channel_id, sum(requests), sum(failed), sum(partial), sum(input_tokens), sum(cached_input_tokens), sum(cache_write_tokens), sum(audio_input_tokens), sum(output_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(quota)
FROM usage_rollups_daily GROUP BY tenant_id, start, model, channel_id;
INSERT INTO usage_totals_daily (start, tenant_id, model, channel_id, requests, failed, partial, input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens, output_tokens, reasoning_tokens, audio_output_tokens, quota)
SELECT start, '00000000-0000-0000-0000-000000000000', model, channel_id, sum(requests), sum(failed), sum(partial), sum(input_tokens), sum(cached_input_tokens), sum(cache_write_tokens), sum(audio_input_tokens), sum(output_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(quota)
FROM usage_totals_daily GROUP BY start, model, channel_id;
