-- The slug of the tenant to which the channel's account belongs alone, "" for none. It was in settings, which tenants may
-- not read.
ALTER TABLE channels ADD COLUMN account_of text NOT NULL DEFAULT '';
UPDATE channels SET account_of = settings->>'account_of' WHERE settings->>'account_of' IS NOT NULL;
GRANT SELECT (account_of) ON channels TO tollgate_tenant;
