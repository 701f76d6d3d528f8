-- The accounts that are no windows. Reconciliation compares them, and each day adds a window for each budget.
CREATE INDEX CONCURRENTLY accounts_of_lifetime ON accounts (tenant_id, id) WHERE period = '';
