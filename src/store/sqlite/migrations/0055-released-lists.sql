-- The age of what lists became, which their keys do not tell.
CREATE INDEX reservation_list_by_release ON reservation_list (released_at) WHERE released_at IS NOT NULL;
