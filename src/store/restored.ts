/** The owner of the steps of a restored store until the first start: a node that is dead. */
export const RESTORED_OWNER = 'restored';
