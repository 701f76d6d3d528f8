-- Access keys get scopes, an allowlist of client addresses, and a limit on what they may grant in a day, in nano-dollars.
-- granted is the amount of the day granted_on (UTC, 2006-01-02).
ALTER TABLE access_keys ADD COLUMN scopes jsonb NOT NULL DEFAULT '[]';
ALTER TABLE access_keys ADD COLUMN addresses jsonb NOT NULL DEFAULT '[]';
ALTER TABLE access_keys ADD COLUMN grant_limit bigint NOT NULL DEFAULT 0;
ALTER TABLE access_keys ADD COLUMN granted_on text NOT NULL DEFAULT '';
ALTER TABLE access_keys ADD COLUMN granted bigint NOT NULL DEFAULT 0;
-- Existing keys get the scopes nearest to their access. None gets billing:write, for which somebody must choose a limit, and
-- none of a tenant gets audit:read, which tenants did not have.
UPDATE access_keys SET scopes = '["usage:read","tokens:read","members:read","catalog:read"]'
	WHERE tenant_id IS NOT NULL AND access = 'read';
UPDATE access_keys SET scopes = '["usage:read","tokens:read","tokens:write","members:read","catalog:read"]'
	WHERE tenant_id IS NOT NULL AND access = 'write';
UPDATE access_keys SET scopes = '["usage:read","tokens:read","members:read","catalog:read","tenants:read","audit:read"]'
	WHERE tenant_id IS NULL AND access = 'read';
UPDATE access_keys SET scopes = '["usage:read","tokens:read","tokens:write","members:read","catalog:read","catalog:write","channels:write","tenants:read","tenants:write","audit:read"]'
	WHERE tenant_id IS NULL AND access = 'write';
