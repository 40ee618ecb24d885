import { AsyncLocalStorage } from 'node:async_hooks';

/** A transaction whose work runs, and the contexts that are outside of it. */
interface OpenTransaction {
  readonly outside: object;
  readonly around: OpenTransaction | undefined;
  isOpen: boolean;
}

/** Only to find mistakes: no tenant, user or connection is ever read from it (decision 4). */
const innermost = new AsyncLocalStorage<OpenTransaction>();

/** Runs the work of a transaction; `mustBeOutside` fails for these contexts meanwhile. */
export function runInside<Result>(outside: object, work: () => Promise<Result>): Promise<Result> {
  const transaction = { outside, around: innermost.getStore(), isOpen: true };
  return innermost.run(transaction, work).finally(() => {
    transaction.isOpen = false;
  });
}

/** Throws inside a transaction that one of these contexts has begun: what they write would not belong to it. */
export function mustBeOutside(contexts: object): void {
  for (let transaction = innermost.getStore(); transaction; transaction = transaction.around) {
    if (transaction.isOpen && transaction.outside === contexts) {
      throw new Error(
        'ctx is used inside ctx.tx, where it would act outside the transaction; use the context that the callback gets: ctx.tx(async (tx) => …)',
      );
    }
  }
}
