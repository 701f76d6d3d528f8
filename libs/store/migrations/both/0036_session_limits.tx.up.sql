-- What the session has granted, adjusted and transferred without a recent confirmation of its user, in nano-dollars.
ALTER TABLE sessions ADD COLUMN unconfirmed bigint NOT NULL DEFAULT 0;
