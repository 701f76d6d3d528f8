-- kind is the kind of an entry, granted the sum of the tenant's entries up to this one, and transfer_id names the two
-- entries of a transfer. idempotency_key is a key that the client chose: a repeated request finds the entry of the first.
ALTER TABLE ledger
	ADD COLUMN kind text NOT NULL DEFAULT 'grant' CHECK (kind IN ('grant', 'adjustment', 'transfer')),
	ADD COLUMN granted bigint NOT NULL DEFAULT 0,
	ADD COLUMN transfer_id uuid,
	ADD COLUMN counterpart uuid REFERENCES tenants,
	ADD COLUMN idempotency_key text UNIQUE,
	ADD CHECK ((kind = 'transfer') = (transfer_id IS NOT NULL)),
	ADD CHECK ((kind = 'transfer') = (counterpart IS NOT NULL));
UPDATE ledger SET granted = upto.granted, kind = CASE WHEN amount < 0 THEN 'adjustment' ELSE 'grant' END
FROM (SELECT id, sum(amount) OVER (PARTITION BY tenant_id ORDER BY id) AS granted FROM ledger) AS upto
WHERE upto.id = ledger.id;
ALTER TABLE ledger ALTER COLUMN kind DROP DEFAULT, ALTER COLUMN granted DROP DEFAULT;
CREATE INDEX ledger_by_transfer ON ledger (transfer_id) WHERE transfer_id IS NOT NULL;

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	RAISE EXCEPTION 'entries of the ledger are never changed' USING ERRCODE = 'integrity_constraint_violation';
END $body$;
CREATE TRIGGER ledger_is_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- The quota granted to a tenant is the sum of its ledger entries, and changes only together with the ledger.
CREATE FUNCTION check_wallet() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
	IF NEW.granted <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE tenant_id = NEW.id) THEN
		RAISE EXCEPTION 'a wallet is granted what its ledger says' USING ERRCODE = 'integrity_constraint_violation';
	END IF;
	RETURN NEW;
END $body$;
CREATE TRIGGER wallets_follow_the_ledger BEFORE UPDATE OF granted ON accounts
	FOR EACH ROW WHEN (NEW.kind = 'tenant') EXECUTE FUNCTION check_wallet();

-- The most that an owner may spend in each day, week or month. A cap that was removed keeps its row without an amount,
-- because relays may still ask for its window.
CREATE TABLE caps (
	owner_id uuid NOT NULL,
	period text NOT NULL CHECK (period IN ('day', 'week', 'month')),
	kind text NOT NULL,
	tenant_id uuid,
	user_id uuid,
	amount bigint CHECK (amount >= 0),
	PRIMARY KEY (owner_id, period)
);

-- Each window has an account of its own, which is created when the window is first used. The other accounts have the id
-- of their owner and no window.
ALTER TABLE accounts
	ADD COLUMN owner_id uuid,
	ADD COLUMN period text NOT NULL DEFAULT '',
	ADD COLUMN window_start timestamptz,
	ADD CHECK ((period = '') = (owner_id IS NULL)),
	ADD CHECK ((period = '') = (window_start IS NULL));
CREATE INDEX accounts_by_window ON accounts (owner_id, period, window_start) WHERE owner_id IS NOT NULL;
CREATE INDEX accounts_by_start ON accounts (window_start) WHERE window_start IS NOT NULL;
