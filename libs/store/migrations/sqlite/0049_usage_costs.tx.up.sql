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
