-- spent is what was spent of a lease since it began. stamp is the last operation on it, by which a duplicate or late
-- message is recognized and ignored.
ALTER TABLE leases ADD COLUMN spent bigint NOT NULL DEFAULT 0;
ALTER TABLE leases ADD COLUMN stamp bigint NOT NULL DEFAULT 0;

-- The relays that have leases: when each last reported, by the database's clock, and how often its leases were
-- reclaimed.
CREATE TABLE relays (
	id text PRIMARY KEY,
	seen_at timestamp NOT NULL,
	reclaims bigint NOT NULL DEFAULT 0
);
INSERT INTO relays (id, seen_at) SELECT DISTINCT relay_id, strftime('%Y-%m-%d %H:%M:%f+00:00', 'now') FROM leases;
