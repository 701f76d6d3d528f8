-- Fields of a token that somebody other than its user has restricted, such as status and quota. Its user cannot change them.
ALTER TABLE tokens ADD COLUMN held jsonb NOT NULL DEFAULT '[]';
