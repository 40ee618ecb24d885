import { Failure } from '@chowk/kit/kernel';

/** `UserError` in the schema. */
interface UserError {
  readonly message: string;
  readonly code: string;
  readonly field: readonly string[] | null;
}

/** Missing rights and limits are errors of the request, not of its input. */
const requestStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

/** What is wrong with the input; `undefined` if the error is another one. */
export function userErrors(error: unknown): UserError[] | undefined {
  if (!(error instanceof Failure) || error.status >= 500 || requestStatuses.has(error.status)) return undefined;
  const { message, code, extras } = error;
  const found = Object.entries(extras.errors ?? {}).flatMap(([name, problems]) =>
    problems.map((problem) => ({ message: problem.message, code: problem.code, field: name.split('.') })),
  );
  return found.length > 0 ? found : [{ message, code, field: null }];
}
