-- Gives rates to the prices that have theirs in a column each, as very old versions stored them. The columns are not used any more.
UPDATE prices SET rates = jsonb_strip_nulls(jsonb_build_object(
	'input', trim_scale(input_rate / 1e9)::text,
	'cached_input', trim_scale(cached_input_rate / 1e9)::text,
	'cache_write', trim_scale(cache_write_rate / 1e9)::text,
	'audio_input', trim_scale(audio_input_rate / 1e9)::text,
	'output', trim_scale(output_rate / 1e9)::text,
	'reasoning', trim_scale(reasoning_rate / 1e9)::text,
	'audio_output', trim_scale(audio_output_rate / 1e9)::text,
	'request', trim_scale(request_rate / 1e9)::text
)) WHERE rates IS NULL;
