-- When the user of the session last proved the identity again; null: not since the sign-in.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamp;
