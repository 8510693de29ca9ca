-- Every connection of the service asks for kept plans that use indexes. To ask for that once more at each call took a
-- quarter of a sweep's time.
alter function sweep(bigint, integer) reset enable_seqscan;
