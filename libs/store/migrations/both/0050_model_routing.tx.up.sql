-- How calls of the model choose among channels of equal priority: weighted, or cheapest by the costs of the channels.
ALTER TABLE models ADD COLUMN routing text NOT NULL DEFAULT 'weighted';
