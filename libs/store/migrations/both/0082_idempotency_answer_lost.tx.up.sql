-- Whether the answer of the first call was lost because its relay failed, only if charged.
ALTER TABLE idempotency_keys ADD COLUMN answer_lost boolean NOT NULL DEFAULT false;
