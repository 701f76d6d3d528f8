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

-- What the upstreams charge for a call, in nano-dollars; null: not known, as in rows of earlier releases. The store shows
-- both columns to operators only.
ALTER TABLE usage_logs ADD COLUMN supplier_cost bigint, ADD COLUMN cost_id uuid;
