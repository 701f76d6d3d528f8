-- Settings by which a channel differs from the defaults of its type. json and not jsonb, which would change the spelling
-- of numbers.
ALTER TABLE channels ADD COLUMN settings json NOT NULL DEFAULT '{}';
