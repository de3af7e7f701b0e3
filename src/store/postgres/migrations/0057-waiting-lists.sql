-- concurrently
-- Lists that wait, of an account: what a deleted account had is looked for every minute.
CREATE INDEX reservation_list_of_account ON reservation_list (account) WHERE released_at IS NULL;
