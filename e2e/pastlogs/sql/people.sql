-- Creates tenants, users and tokens in the schema of the baseline, which never changes. "n" numbers all tokens; the
-- tokens of the first tenant come first.
CREATE TABLE people AS
WITH firms AS (
	SELECT f, gen_random_uuid() AS tenant_id, CASE f WHEN 0 THEN big ELSE small END AS users
	FROM sizes, generate_series(0, firms - 1) AS f
), users AS MATERIALIZED (
	SELECT f, tenant_id, u, gen_random_uuid() AS user_id FROM firms, generate_series(0, users - 1) AS u
)
SELECT (row_number() OVER (ORDER BY f, u, t) - 1)::integer AS n, f, u, t, tenant_id, user_id,
	gen_random_uuid() AS token_id
FROM users, sizes, generate_series(0, tokens - 1) AS t;
ALTER TABLE people ADD PRIMARY KEY (n);

INSERT INTO models VALUES ('model-0', 'bench', 'enabled', false, 0, now());
INSERT INTO prices (id, model, effective_from, rates, created_at)
VALUES (md5('price')::uuid, 'model-0', now(), '{"input": "0.315"}', now());
INSERT INTO groups VALUES (gen_random_uuid(), 'bench', '["*"]', 'enabled', now());
INSERT INTO tenants SELECT DISTINCT tenant_id, 'tenant-' || f, 'Tenant ' || f, 'enabled', now() FROM people;
INSERT INTO users
SELECT DISTINCT user_id, tenant_id, user_id || '@example.com', '', 'member', (SELECT id FROM groups), 'enabled', now()
FROM people;
INSERT INTO tokens
SELECT token_id, tenant_id, user_id, 'ci', 'sk-tg-', uuid_send(token_id), '[]', '[]', 'enabled', NULL, now()
FROM people;
INSERT INTO accounts (id, kind, tenant_id, user_id, granted)
SELECT DISTINCT tenant_id, 'tenant', tenant_id, NULL::uuid, 1000000000000000000 FROM people
UNION ALL SELECT DISTINCT user_id, 'user', tenant_id, user_id, NULL::bigint FROM people
UNION ALL SELECT token_id, 'token', tenant_id, user_id, NULL FROM people;
