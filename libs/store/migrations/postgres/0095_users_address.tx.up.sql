-- The address of a user, and the time from which the user can sign in with it. Without this time the user only claims the address, or
-- was erased. The programs of the previous release write email and claimed_email, and so do those of this one; the trigger derives the
-- new columns from them.
ALTER TABLE users ADD COLUMN address text, ADD COLUMN owned_at timestamptz;

CREATE FUNCTION tollgate_derive_address() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF NEW.email IS NULL THEN
		RETURN NEW; -- a program that knows only the new columns inserts the row
	END IF;
	NEW.address := coalesce(NEW.claimed_email, NEW.email);
	IF NEW.claimed_email IS NOT NULL OR NEW.email = NEW.id || '@erased.invalid' THEN
		NEW.owned_at := NULL;
	ELSIF TG_OP = 'INSERT' THEN
		NEW.owned_at := NEW.created_at;
	ELSIF OLD.owned_at IS NULL OR OLD.address <> NEW.address THEN
		NEW.owned_at := now();
	END IF;
	RETURN NEW;
END $body$;

CREATE TRIGGER users_address BEFORE INSERT OR UPDATE OF email, claimed_email ON users FOR EACH ROW
	EXECUTE FUNCTION tollgate_derive_address();
