-- What the audit log has an entry for on a day, so that all consoles together write one: the first use of an access key on a
-- day from an address. Rows of past days are deleted.
CREATE TABLE audit_days (
	day text NOT NULL, -- such as 2026-05-01, in UTC
	action text NOT NULL,
	target text NOT NULL,
	address text NOT NULL,
	PRIMARY KEY (day, action, target, address)
);
