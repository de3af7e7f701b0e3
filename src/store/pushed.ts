/**
 * The condition for what a pending webhook delivery will push: retention keeps it until it is delivered or given up. In the
 * SQL of both engines; each check uses an index, however many deliveries there are.
 */

/** `msgKey` with its table: without one it would be the key of the delivery. */
export function isPushed(msgKey: `${string}.msg_key`): string {
  return `EXISTS (SELECT 1 FROM webhook_delivery AS push WHERE push.state = 'pending' AND push.msg_key = ${msgKey})`;
}

/** Whether any of the messages is whose keys are in this range. */
export function isAnyPushed(from: string, to: string): string {
  return `EXISTS (SELECT 1 FROM webhook_delivery AS push
                   WHERE push.state = 'pending' AND push.msg_key >= ${from} AND push.msg_key < ${to})`;
}
