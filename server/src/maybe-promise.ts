/** For code on every request's way: to wait for what is there costs more than to look it up. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with a value at once if it is there. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
