/** For code on the path of every request: awaiting a value that is present costs more than using it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Calls `next` at once if the value is present, else when the promise settles. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
