-- The language of the user's mails and of the console: a tag such as 'en', or '' if the user has chosen none.
ALTER TABLE users ADD COLUMN language text NOT NULL DEFAULT '';
