-- The paths of what the relay ignored of a call's request, separated by commas. It takes the place of left_out, which no release
-- has, and which names only tools.
ALTER TABLE usage_logs ADD COLUMN ignored_fields text;
-- Whether the relay ignores such fields of the tenant's calls and reports them, or refuses the calls: 'report' or 'refuse'. It
-- takes the place of optional_tools, which no release has.
ALTER TABLE tenants ADD COLUMN ignored_fields text NOT NULL DEFAULT 'report';
GRANT UPDATE (ignored_fields) ON tenants TO tollgate_tenant;
