-- The proof that the e-mail address of an account belongs to its person: mail, link, operator, issuer, before (the account is
-- older than this column) or '' (none). An account whose address is only claimed has the address in claimed_email, and in
-- email a placeholder that is unique.
ALTER TABLE users ADD COLUMN proof text NOT NULL DEFAULT 'before';
ALTER TABLE users ADD COLUMN claimed_email text;

-- The account that waits for the person who opens the link, null if the link makes one; and the proof that opening it gives.
ALTER TABLE invitations ADD COLUMN user_id text;
ALTER TABLE invitations ADD COLUMN proof text NOT NULL DEFAULT 'link';
ALTER TABLE password_resets ADD COLUMN proof text NOT NULL DEFAULT '';
