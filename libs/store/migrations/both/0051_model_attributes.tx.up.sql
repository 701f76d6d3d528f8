-- What a model can read and write, for clients: the most tokens of input and output together, 0 if that is not known, and
-- lists of modalities such as ["text", "image"], empty if they are not known.
ALTER TABLE models ADD COLUMN context_length bigint NOT NULL DEFAULT 0;
ALTER TABLE models ADD COLUMN input_modalities jsonb NOT NULL DEFAULT '[]';
ALTER TABLE models ADD COLUMN output_modalities jsonb NOT NULL DEFAULT '[]';
