-- Settings by which a channel differs from the defaults of its type.
ALTER TABLE channels ADD COLUMN settings text NOT NULL DEFAULT '{}';
