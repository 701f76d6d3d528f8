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

-- What the upstreams charge for a call, in nano-dollars; null: not known, as in rows of earlier releases. The store shows
-- both columns to operators only.
ALTER TABLE usage_logs ADD COLUMN supplier_cost bigint;
ALTER TABLE usage_logs ADD COLUMN cost_id text;
