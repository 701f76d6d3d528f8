-- Long work that somebody asked for, and what came of it.
CREATE TABLE jobs (
	id uuid PRIMARY KEY,
	tenant_id uuid REFERENCES tenants ON DELETE CASCADE, -- null for an operator's
	user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
	role text NOT NULL, -- that the user had when he asked
	kind text NOT NULL,
	status text NOT NULL,
	parameters jsonb NOT NULL,
	input bytea, -- sealed; what only the work may read, until it ends
	done bigint NOT NULL,
	total bigint NOT NULL, -- 0 where it is not known
	checkpoint bytea, -- where the work goes on
	attempts bigint NOT NULL, -- since it last got any further
	lease_id uuid, -- of who works at it
	due_at timestamptz NOT NULL, -- from then on it may be begun, or taken over
	parts bigint NOT NULL,
	size bigint NOT NULL, -- of the file as it is downloaded
	stored bigint NOT NULL, -- of its parts
	result jsonb,
	secret bytea, -- sealed; handed out once
	error text NOT NULL,
	message text NOT NULL,
	created_at timestamptz NOT NULL,
	started_at timestamptz,
	finished_at timestamptz,
	expires_at timestamptz -- from then on it may be deleted; null before it is over
);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The file of a job, each part a gzip member of its own.
CREATE TABLE job_parts (
	job_id uuid NOT NULL REFERENCES jobs ON DELETE CASCADE,
	seq bigint NOT NULL,
	tenant_id uuid, -- as the job's
	user_id uuid NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (job_id, seq)
);
ALTER TABLE job_parts ALTER COLUMN data SET STORAGE EXTERNAL; -- it does not compress any further
