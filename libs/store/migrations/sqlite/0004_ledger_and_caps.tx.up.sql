-- kind is the kind of an entry, granted the sum of the tenant's entries up to this one, and transfer_id names the two
-- entries of a transfer. idempotency_key is a key that the client chose: a repeated request finds the entry of the first.
ALTER TABLE ledger ADD COLUMN kind text NOT NULL DEFAULT 'grant' CHECK (kind IN ('grant', 'adjustment', 'transfer'));
ALTER TABLE ledger ADD COLUMN granted bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN transfer_id text CHECK ((kind = 'transfer') = (transfer_id IS NOT NULL));
ALTER TABLE ledger ADD COLUMN counterpart text REFERENCES tenants CHECK ((kind = 'transfer') = (counterpart IS NOT NULL));
ALTER TABLE ledger ADD COLUMN idempotency_key text;
UPDATE ledger SET granted = upto.granted, kind = CASE WHEN amount < 0 THEN 'adjustment' ELSE 'grant' END
FROM (SELECT id, sum(amount) OVER (PARTITION BY tenant_id ORDER BY id) AS granted FROM ledger) AS upto
WHERE upto.id = ledger.id;
CREATE UNIQUE INDEX ledger_idempotency_key_key ON ledger (idempotency_key);
CREATE INDEX ledger_by_transfer ON ledger (transfer_id) WHERE transfer_id IS NOT NULL;

CREATE TRIGGER ledger_is_not_updated BEFORE UPDATE ON ledger
BEGIN
	SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;
CREATE TRIGGER ledger_is_not_deleted BEFORE DELETE ON ledger
BEGIN
	SELECT RAISE(ABORT, 'entries of the ledger are never changed');
END;

-- The quota granted to a tenant is the sum of its ledger entries, and changes only together with the ledger.
CREATE TRIGGER wallets_follow_the_ledger BEFORE UPDATE OF granted ON accounts
WHEN NEW.kind = 'tenant' AND NEW.granted <> (SELECT coalesce(sum(amount), 0) FROM ledger WHERE tenant_id = NEW.id)
BEGIN
	SELECT RAISE(ABORT, 'a wallet is granted what its ledger says');
END;

-- The most that an owner may spend in each day, week or month. A cap that was removed keeps its row without an amount,
-- because relays may still ask for its window.
CREATE TABLE caps (
	owner_id text NOT NULL,
	period text NOT NULL CHECK (period IN ('day', 'week', 'month')),
	kind text NOT NULL,
	tenant_id text,
	user_id text,
	amount bigint CHECK (amount >= 0),
	PRIMARY KEY (owner_id, period)
);

-- Each window has an account of its own, which is created when the window is first used. The other accounts have the id
-- of their owner and no window.
ALTER TABLE accounts ADD COLUMN owner_id text;
ALTER TABLE accounts ADD COLUMN period text NOT NULL DEFAULT '' CHECK ((period = '') = (owner_id IS NULL));
ALTER TABLE accounts ADD COLUMN window_start timestamp CHECK ((period = '') = (window_start IS NULL));
CREATE INDEX accounts_by_window ON accounts (owner_id, period, window_start) WHERE owner_id IS NOT NULL;
CREATE INDEX accounts_by_start ON accounts (window_start) WHERE window_start IS NOT NULL;
