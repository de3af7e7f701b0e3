-- Steps that are set aside have this on top of their deadline (phase.ts).
UPDATE job SET deadline_at = deadline_at + 1000000000000000 WHERE phase = 4;
