-- concurrently
-- The newest records of a day, which tell whether the day is still needed (partitions.ts).
CREATE INDEX report_by_time ON report (reported_at);
