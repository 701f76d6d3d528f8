-- The continuous export of usage logs to a bucket. See package store/export.

-- It has one row while the export is on, and none while it is off.
CREATE TABLE usage_export (
	id integer PRIMARY KEY CHECK (id = 1),
	started_at timestamp NOT NULL,
	walked_to text NOT NULL, -- of the logs that existed at started_at, those up to this id are in objects
	walk_end text NOT NULL, -- the last of the logs that existed at started_at
	last_object text NOT NULL
);

-- The ids of the logs that one transaction recorded.
CREATE TABLE usage_export_batches (
	id integer PRIMARY KEY AUTOINCREMENT,
	queued_at timestamp NOT NULL,
	first_id text NOT NULL,
	last_id text NOT NULL,
	logs integer NOT NULL,
	ids blob NOT NULL, -- 16 bytes each
	planned boolean NOT NULL DEFAULT false -- the logs are in objects; the row says so to the walk
);

-- Objects that are planned and not known to be written.
CREATE TABLE usage_export_objects (
	id text PRIMARY KEY, -- the name of the object
	queued_at timestamp NOT NULL, -- when the oldest of its logs was queued
	day text NOT NULL,
	first_id text NOT NULL,
	logs integer NOT NULL,
	ids blob NOT NULL
);

-- Relays of the previous release, which queue nothing, leave it false.
ALTER TABLE relays ADD COLUMN queues_exports boolean NOT NULL DEFAULT false;
