-- The address of a user, and the time from which the user can sign in with it. Without this time the user only claims the address, or
-- was erased. Programs write email and claimed_email; the triggers derive the new columns from them.
ALTER TABLE users ADD COLUMN address text;
ALTER TABLE users ADD COLUMN owned_at timestamp;

UPDATE users SET address = coalesce(claimed_email, email),
	owned_at = CASE WHEN claimed_email IS NULL AND email <> id || '@erased.invalid' THEN created_at END;

CREATE UNIQUE INDEX users_by_owned_address ON users (address) WHERE owned_at IS NOT NULL;
CREATE INDEX users_by_address ON users (address);

CREATE TRIGGER users_address_of_new_row AFTER INSERT ON users
BEGIN
	UPDATE users SET address = coalesce(NEW.claimed_email, NEW.email),
		owned_at = CASE WHEN NEW.claimed_email IS NULL AND NEW.email <> NEW.id || '@erased.invalid' THEN NEW.created_at END
		WHERE id = NEW.id;
END;

CREATE TRIGGER users_address AFTER UPDATE OF email, claimed_email ON users
BEGIN
	UPDATE users SET address = coalesce(NEW.claimed_email, NEW.email),
		owned_at = CASE
			WHEN NEW.claimed_email IS NOT NULL OR NEW.email = NEW.id || '@erased.invalid' THEN NULL
			WHEN OLD.owned_at IS NOT NULL AND OLD.address = NEW.email THEN OLD.owned_at
			ELSE strftime('%Y-%m-%d %H:%M:%f+00:00', 'now')
		END
		WHERE id = NEW.id;
END;
