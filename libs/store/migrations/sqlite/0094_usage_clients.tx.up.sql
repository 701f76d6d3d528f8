-- From which addresses and with which programs a token was used. See package store/client.
CREATE TABLE usage_clients (
	id text PRIMARY KEY,
	tenant_id text NOT NULL,
	user_id text NOT NULL,
	token_id text NOT NULL,
	address text NOT NULL, -- '' in the row of all further clients
	agent text NOT NULL,
	first_at timestamp NOT NULL,
	last_at timestamp NOT NULL,
	calls bigint NOT NULL,
	expires_at timestamp NOT NULL,
	UNIQUE (token_id, address, agent)
);
CREATE INDEX usage_clients_by_tenant ON usage_clients (tenant_id);
CREATE INDEX usage_clients_by_user ON usage_clients (user_id);
CREATE INDEX usage_clients_by_end ON usage_clients (expires_at);
