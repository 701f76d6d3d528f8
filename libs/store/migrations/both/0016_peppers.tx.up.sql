-- The pepper that a hash was made with; '' is the one from before there could be several.
ALTER TABLE tokens ADD COLUMN pepper_id text NOT NULL DEFAULT '';
ALTER TABLE access_keys ADD COLUMN pepper_id text NOT NULL DEFAULT '';
