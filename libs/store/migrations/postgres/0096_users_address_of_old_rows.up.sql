-- Gives the new columns to the users of before step 0095, in transactions of 1,000 rows. Each locks its rows in the order of their ids,
-- as programs do, and none waits longer than two seconds. The step may be repeated.
DO $body$
DECLARE
	ids uuid[];
	reached uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
	LOOP
		PERFORM set_config('lock_timeout', '2s', true);
		SELECT array_agg(id ORDER BY id) INTO ids FROM
			(SELECT id FROM users WHERE id > reached ORDER BY id LIMIT 1000 FOR NO KEY UPDATE) AS batch;
		EXIT WHEN ids IS NULL;
		UPDATE users SET address = coalesce(claimed_email, email),
			owned_at = CASE WHEN claimed_email IS NULL AND email <> id || '@erased.invalid' THEN created_at END
			WHERE id = ANY (ids) AND address IS NULL;
		COMMIT;
		reached := ids[cardinality(ids)];
	END LOOP;
END $body$;
