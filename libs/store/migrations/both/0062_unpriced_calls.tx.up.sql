-- The kinds of charges of a call that have no price, as a set of bits (libs/core/charge).
ALTER TABLE usage_logs ADD COLUMN unpriced integer NOT NULL DEFAULT 0;
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
