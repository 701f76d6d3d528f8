-- How a channel departs from its type.
ALTER TABLE channels ADD COLUMN settings text NOT NULL DEFAULT '{}';
