-- What a call is attributed to besides its user and its token. tags is an object of strings.
ALTER TABLE usage_logs ADD COLUMN end_user text;
ALTER TABLE usage_logs ADD COLUMN tags text;
-- The keys of a request's metadata that are tags, separated by commas.
ALTER TABLE tenants ADD COLUMN metadata_tags text NOT NULL DEFAULT '';
