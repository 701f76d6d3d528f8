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
