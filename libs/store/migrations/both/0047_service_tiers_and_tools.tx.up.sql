-- The service tier that the answer names, and what tools did that the provider ran. Most calls have neither: NULL, which takes
-- no room in a row, stands for the ordinary tier and for 0.
ALTER TABLE usage_logs ADD COLUMN service_tier text;
ALTER TABLE usage_logs ADD COLUMN web_search_calls bigint;
ALTER TABLE usage_logs ADD COLUMN file_search_calls bigint;
ALTER TABLE usage_logs ADD COLUMN code_interpreter_sessions bigint;
ALTER TABLE usage_logs ADD COLUMN image_generation_input_tokens bigint;
ALTER TABLE usage_logs ADD COLUMN image_generation_image_input_tokens bigint;
ALTER TABLE usage_logs ADD COLUMN image_generation_output_tokens bigint;
