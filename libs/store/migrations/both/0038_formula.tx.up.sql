-- The version of the price formula by which the cost was computed; 0 for programs that do not know tiers of a price.
ALTER TABLE usage_logs ADD COLUMN formula bigint NOT NULL DEFAULT 0;
