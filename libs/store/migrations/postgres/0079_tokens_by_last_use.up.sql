-- The order of all tokens by their last use. The expression is that of Time in libs/store/page: tokens never used are the first.
CREATE INDEX CONCURRENTLY tokens_by_last_use ON tokens ((CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
