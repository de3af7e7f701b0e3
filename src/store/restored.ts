/** The owner of the steps of a restored store until the first start: a node that is dead. */
export const RESTORED_OWNER = 'restored';

/** Statements for both engines. */
export const rememberRestore = (now: number): string => `
  INSERT INTO remembered (name, value) VALUES ('restoredAt', '${Math.floor(now)}')
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
export const FIND_RESTORE = "SELECT value FROM remembered WHERE name = 'restoredAt'";

/**
 * Inbound messages whose rules are due were probably answered since. Their opt-outs are still applied. There are few: rules are
 * applied as soon as a message is stored.
 */
export const LEAVE_UNANSWERED = "UPDATE inbound SET reply_problem = 'restored' WHERE rules_at IS NOT NULL";
