-- The types of the tools that the relay left out of a call's request because no channel has them, separated by commas.
ALTER TABLE usage_logs ADD COLUMN left_out text;
-- Whether the relay leaves such tools out of the tenant's calls, or refuses the calls: 'leave_out' or 'refuse'.
ALTER TABLE tenants ADD COLUMN optional_tools text NOT NULL DEFAULT 'leave_out';
