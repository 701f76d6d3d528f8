-- The operator's words for channels: a list of texts. Tenants may not read them.
ALTER TABLE channels ADD COLUMN tags text NOT NULL DEFAULT '[]';
