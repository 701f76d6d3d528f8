-- The parts of input_tokens and output_tokens that are images.
ALTER TABLE usage_logs ADD COLUMN image_input_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE usage_logs ADD COLUMN image_output_tokens bigint NOT NULL DEFAULT 0;
