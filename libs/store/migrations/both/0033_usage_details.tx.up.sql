-- The part of cache_write_tokens that was written to a cache which lives for one hour.
ALTER TABLE usage_logs ADD COLUMN cache_write_1h_tokens bigint NOT NULL DEFAULT 0;
