-- Long work that somebody asked for, and what came of it.
CREATE TABLE jobs (
	id text PRIMARY KEY,
	tenant_id text REFERENCES tenants (id) ON DELETE CASCADE, -- null for an operator's
	user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	role text NOT NULL, -- that the user had when he asked
	kind text NOT NULL,
	status text NOT NULL,
	parameters text NOT NULL,
	input blob, -- sealed; what only the work may read, until it ends
	done bigint NOT NULL,
	total bigint NOT NULL, -- 0 where it is not known
	checkpoint blob, -- where the work goes on
	attempts bigint NOT NULL, -- since it last got any further
	lease_id text, -- of who works at it
	due_at timestamp NOT NULL, -- from then on it may be begun, or taken over
	parts bigint NOT NULL,
	size bigint NOT NULL, -- of the file as it is downloaded
	stored bigint NOT NULL, -- of its parts
	result text,
	secret blob, -- sealed; handed out once
	error text NOT NULL,
	message text NOT NULL,
	created_at timestamp NOT NULL,
	started_at timestamp,
	finished_at timestamp,
	expires_at timestamp -- from then on it may be deleted; null before it is over
);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_by_kind ON jobs (kind, id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_by_end ON jobs (expires_at) WHERE expires_at IS NOT NULL;

-- The file of a job, each part a gzip member of its own.
CREATE TABLE job_parts (
	job_id text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
	seq bigint NOT NULL,
	tenant_id text, -- as the job's
	user_id text NOT NULL,
	data blob NOT NULL,
	PRIMARY KEY (job_id, seq)
);
