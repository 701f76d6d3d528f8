-- Rate limits: requests per minute, tokens per minute, and concurrent requests; 0 means no limit. See libs/core/limit.
ALTER TABLE tokens ADD COLUMN limit_requests bigint NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN limit_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN limit_concurrency bigint NOT NULL DEFAULT 0;

ALTER TABLE users ADD COLUMN limit_requests bigint NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN limit_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN limit_concurrency bigint NOT NULL DEFAULT 0;

ALTER TABLE groups ADD COLUMN limit_requests bigint NOT NULL DEFAULT 0;
ALTER TABLE groups ADD COLUMN limit_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE groups ADD COLUMN limit_concurrency bigint NOT NULL DEFAULT 0;

ALTER TABLE models ADD COLUMN limit_requests bigint NOT NULL DEFAULT 0;
ALTER TABLE models ADD COLUMN limit_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE models ADD COLUMN limit_concurrency bigint NOT NULL DEFAULT 0;
