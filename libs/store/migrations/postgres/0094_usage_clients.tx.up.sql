-- From which addresses and with which programs a token was used. See package store/client.
CREATE TABLE usage_clients (
	id uuid PRIMARY KEY,
	tenant_id uuid NOT NULL,
	user_id uuid NOT NULL,
	token_id uuid NOT NULL,
	address text COLLATE "C" NOT NULL, -- '' in the row of all further clients
	agent text COLLATE "C" NOT NULL,
	first_at timestamptz NOT NULL,
	last_at timestamptz NOT NULL,
	calls bigint NOT NULL,
	expires_at timestamptz NOT NULL,
	UNIQUE (token_id, address, agent)
);
CREATE INDEX usage_clients_by_tenant ON usage_clients (tenant_id);
CREATE INDEX usage_clients_by_user ON usage_clients (user_id);
CREATE INDEX usage_clients_by_end ON usage_clients (expires_at);

SELECT tollgate_wall('usage_clients', 'SELECT');
