-- The file of the price catalog that an operator uploaded or the worker fetched, in one row. Without a row, or with a null file,
-- the one that ships with the product applies. It belongs to the platform and has no rows of tenants.
CREATE TABLE price_catalog (
	id smallint PRIMARY KEY, -- always 1
	file text,
	sha256 text NOT NULL DEFAULT '', -- of the file, in hexadecimal
	source text NOT NULL DEFAULT '', -- "upload", or the URL from which the worker fetched the file
	stored_at timestamptz,
	checked_at timestamptz, -- when the worker last fetched the URL
	fault text NOT NULL DEFAULT '' -- why the last fetch failed; '' if it succeeded
);
