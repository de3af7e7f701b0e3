/**
 * Now where it is known, a promise where it has to be looked up. `await` takes both. On the way of a send, where most is known,
 * who receives it asks first whether it is a promise: waiting for what is there has its price, too.
 */
export type Soon<T> = T | Promise<T>;
