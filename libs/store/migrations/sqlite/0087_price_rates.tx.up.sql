-- Gives rates to the prices that have theirs in a column each, as very old versions stored them. The columns are not used any more.
UPDATE prices SET rates = json_patch('{}', json_object(
	'input', CASE WHEN input_rate IS NOT NULL THEN printf('%d.%09d', input_rate / 1000000000, input_rate % 1000000000) END,
	'cached_input', CASE WHEN cached_input_rate IS NOT NULL THEN printf('%d.%09d', cached_input_rate / 1000000000, cached_input_rate % 1000000000) END,
	'cache_write', CASE WHEN cache_write_rate IS NOT NULL THEN printf('%d.%09d', cache_write_rate / 1000000000, cache_write_rate % 1000000000) END,
	'audio_input', CASE WHEN audio_input_rate IS NOT NULL THEN printf('%d.%09d', audio_input_rate / 1000000000, audio_input_rate % 1000000000) END,
	'output', CASE WHEN output_rate IS NOT NULL THEN printf('%d.%09d', output_rate / 1000000000, output_rate % 1000000000) END,
	'reasoning', CASE WHEN reasoning_rate IS NOT NULL THEN printf('%d.%09d', reasoning_rate / 1000000000, reasoning_rate % 1000000000) END,
	'audio_output', CASE WHEN audio_output_rate IS NOT NULL THEN printf('%d.%09d', audio_output_rate / 1000000000, audio_output_rate % 1000000000) END,
	'request', CASE WHEN request_rate IS NOT NULL THEN printf('%d.%09d', request_rate / 1000000000, request_rate % 1000000000) END
)) WHERE rates IS NULL;
