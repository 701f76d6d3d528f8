-- The ids of the tenants whose calls a report concerns, as a JSON array; '' for all tenants.
ALTER TABLE channel_health ADD COLUMN tenants text NOT NULL DEFAULT '';
