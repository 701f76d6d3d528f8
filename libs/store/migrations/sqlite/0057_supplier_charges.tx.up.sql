-- Billing accounts at providers, and what the providers say that they charged. Only operators see these tables.
CREATE TABLE billing_accounts (
	id text PRIMARY KEY,
	name text NOT NULL UNIQUE,
	provider text NOT NULL,
	base_url text NOT NULL,
	status text NOT NULL,
	channels text NOT NULL, -- ids of the channels whose calls the account pays
	keys text NOT NULL, -- the provider's ids of keys, with the masks of the same keys
	credential blob, -- sealed for the account; null: none
	sealed_with text NOT NULL, -- name of the key that sealed the credential; empty: none
	created_at timestamp NOT NULL,
	updated_at timestamp NOT NULL,
	due_at timestamp NOT NULL, -- when the account is fetched next
	fetched_at timestamp, -- of the last successful fetch
	failures integer NOT NULL, -- consecutive failed fetches
	error text NOT NULL -- of the last fetch; empty: none
);
CREATE INDEX billing_accounts_due ON billing_accounts (due_at);

CREATE TABLE supplier_charges (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL, -- UTC day, such as 2026-11-23
	model text NOT NULL, -- empty: the provider names none
	key text NOT NULL, -- the provider's id of the key; empty: the provider names none
	amount bigint, -- nano-dollars. Figures that the provider does not report are null
	input_tokens bigint,
	output_tokens bigint,
	requests bigint,
	PRIMARY KEY (account_id, day, model, key)
);

-- The days that a provider has reported, also those without charges.
CREATE TABLE supplier_days (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL,
	fetched_at timestamp, -- null: not reported yet
	PRIMARY KEY (account_id, day)
);
CREATE INDEX supplier_days_by_day ON supplier_days (day);
