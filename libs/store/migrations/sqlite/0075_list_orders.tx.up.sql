-- The orders of the lists of tokens and tenants. A list is read by the index of its filter, from where its last page ended.
-- The expression is that of libs/store/page, Time: tokens that were never used are the first.
CREATE INDEX tokens_by_name ON tokens (name COLLATE NOCASE, id);
CREATE INDEX tokens_by_tenant_and_name ON tokens (tenant_id, name COLLATE NOCASE, id);
CREATE INDEX tokens_by_user_and_name ON tokens (user_id, name COLLATE NOCASE, id);
CREATE INDEX tokens_by_last_use ON tokens ((CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
CREATE INDEX tokens_by_tenant_and_last_use ON tokens (tenant_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
CREATE INDEX tokens_by_user_and_last_use ON tokens (user_id, (CASE WHEN last_used IS NULL THEN '1970-01-01 00:00:00+00:00' ELSE last_used END), id);
CREATE INDEX tenants_by_name ON tenants (name COLLATE NOCASE, id);
