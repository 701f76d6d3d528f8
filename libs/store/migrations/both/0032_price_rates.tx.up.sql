-- All rates of a price, as JSON in the form of the API. It is null in rows of earlier releases, which store rates in columns.
-- The columns are still written, because programs of the previous release read them.
ALTER TABLE prices ADD COLUMN rates jsonb;
