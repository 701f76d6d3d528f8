-- When an installation that was already in use got a change after which ids that it gave before must still be accepted
-- for some time. A new installation has no row: it gave no such ids.
CREATE TABLE upgrades (name text PRIMARY KEY, at timestamptz NOT NULL);
INSERT INTO upgrades (name, at) SELECT 'owned_ids', now() WHERE EXISTS (SELECT 1 FROM channels);
