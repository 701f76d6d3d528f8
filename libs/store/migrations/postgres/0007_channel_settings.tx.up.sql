-- How a channel departs from its type. Text as it was written, not jsonb: the
-- spelling of numbers is kept.
ALTER TABLE channels ADD COLUMN settings json NOT NULL DEFAULT '{}';
