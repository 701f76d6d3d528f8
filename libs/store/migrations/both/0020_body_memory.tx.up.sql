-- What a relay reports about the memory of request bodies, in bytes: in use, and the most that may be in use; how many
-- requests wait for memory, and how many found none since the relay's start.
ALTER TABLE relays ADD COLUMN body_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN body_max_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN body_waiting bigint NOT NULL DEFAULT 0;
ALTER TABLE relays ADD COLUMN body_refused bigint NOT NULL DEFAULT 0;
