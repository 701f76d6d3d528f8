-- The address of the client that caused an entry, "" if it is not known.
ALTER TABLE audit_log ADD COLUMN address text NOT NULL DEFAULT '';
