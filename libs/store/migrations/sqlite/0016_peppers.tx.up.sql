-- Under which pepper a hash was made: '' is that of before there was a second.
ALTER TABLE tokens ADD COLUMN pepper_id text NOT NULL DEFAULT '';
ALTER TABLE access_keys ADD COLUMN pepper_id text NOT NULL DEFAULT '';
