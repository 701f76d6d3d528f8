-- Long-running work that a user requested, and its result.
CREATE TABLE jobs (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants ON DELETE CASCADE, -- null for an operator
	user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
	role text NOT NULL, -- the role of the user at that time
	kind text NOT NULL,
	status text NOT NULL,
	parameters jsonb NOT NULL,
	input bytea, -- sealed; readable by the worker only, deleted when the job ends
	done bigint NOT NULL,
	total bigint NOT NULL, -- 0 if it is not known
	checkpoint bytea, -- where the next attempt continues
	attempts bigint NOT NULL, -- since the last checkpoint
	lease_id uuid, -- id of the claim of the worker that runs the job
	due_at timestamptz NOT NULL, -- time from which a worker may start the job or take it over
	parts bigint NOT NULL,
	size bigint NOT NULL, -- bytes of the file as it is downloaded
	stored bigint NOT NULL, -- bytes of its parts
	result jsonb,
	secret bytea, -- sealed; returned once
	error text NOT NULL,
	message text NOT NULL,
	created_at timestamptz NOT NULL,
	started_at timestamptz,
	finished_at timestamptz,
	expires_at timestamptz -- time from which the job may be deleted; null until the job ends
);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The file of a job. Each part is a gzip member of its own.
CREATE TABLE job_parts (
	job_id uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
	seq bigint NOT NULL,
	tenant_id uuid, -- tenant of the job
	user_id uuid NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (job_id, seq)
);
ALTER TABLE job_parts ALTER COLUMN data SET STORAGE EXTERNAL; -- it does not compress any further
