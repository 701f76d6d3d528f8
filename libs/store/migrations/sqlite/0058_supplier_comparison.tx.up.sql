-- What our usage logs say about the days of a billing account, and the results of the comparison.
CREATE TABLE supplier_own (
	account_id text NOT NULL REFERENCES billing_accounts ON DELETE CASCADE,
	day text NOT NULL,
	model text NOT NULL, -- id that was sent to the channel
	key text NOT NULL, -- mask of the credential; empty: none
	cost bigint NOT NULL, -- supplier costs that are known, in nano-dollars
	input_tokens bigint NOT NULL,
	output_tokens bigint NOT NULL,
	requests bigint NOT NULL,
	unpriced bigint NOT NULL, -- requests without a supplier cost
	estimated bigint NOT NULL, -- requests with estimated counts
	PRIMARY KEY (account_id, day, model, key)
);

ALTER TABLE supplier_days ADD COLUMN compared_at timestamp; -- null: not compared yet. The other columns are the result
ALTER TABLE supplier_days ADD COLUMN status text;
ALTER TABLE supplier_days ADD COLUMN reason text;
ALTER TABLE supplier_days ADD COLUMN amount bigint;
ALTER TABLE supplier_days ADD COLUMN own_cost bigint;
ALTER TABLE supplier_days ADD COLUMN difference bigint;
ALTER TABLE supplier_days ADD COLUMN requests bigint;
ALTER TABLE supplier_days ADD COLUMN unpriced bigint;
