/** A cached value needs no promise: waiting for one takes longer than finding the value. */
export type MaybePromise<Value> = Promise<Value> | Value;

/** Passes the value to `next`, at once if it is no promise. */
export function whenReady<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
