-- Size of a reservation, so that an account may have so many bytes; 0 for those made before. The index reservation_open finds
-- the rows to sum: long texts are not in them, and one with the sums would be written at each release.
ALTER TABLE reservation ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
