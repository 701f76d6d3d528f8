-- What the audit log has an entry for on a day, so that all consoles together write one: the first use of an access key on a
-- day from an address. Rows of past days are deleted.
CREATE TABLE audit_days (
	day text COLLATE "C" NOT NULL, -- such as 2026-05-01, in UTC
	action text COLLATE "C" NOT NULL,
	target text COLLATE "C" NOT NULL,
	address text COLLATE "C" NOT NULL,
	PRIMARY KEY (day, action, target, address)
);
SELECT tollgate_wall('audit_days', 'false', '');
