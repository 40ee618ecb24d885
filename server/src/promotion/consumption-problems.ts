import { referenceProblems } from '../loader/check-modules.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { consumedOperation } from '../loader/manifest.ts';
import { busOperation, type ModuleSets, operationProblem } from './module-changes.ts';

/**
 * What other modules of the ring lose when a module is replaced, and what it does not find there itself: operations, also by
 * their schemas, permissions and events.
 */
export function consumptionProblems(alias: string, { before, after }: ModuleSets): string[] {
  const known = new Set(references(before));
  const missing = references(after).filter((problem) => !known.has(problem));
  return [...missing, ...changedOperations(alias, { before, after })];
}

function references(modules: readonly LoadedModule[]): string[] {
  return [...referenceProblems(modules)].flatMap(([alias, problems]) =>
    problems.map((problem) => `the module ${alias}: ${problem}`),
  );
}

/** A consumer that is not packed does not say which schemas it was built against: those of the version before. */
function changedOperations(alias: string, { before, after }: ModuleSets): string[] {
  const [old, current] = [before, after].map((set) => set.find((one) => one.alias === alias));
  return after
    .filter((consumer) => consumer.alias !== alias)
    .flatMap((consumer) =>
      (consumer.manifest.api?.consumes ?? [])
        .map(consumedOperation)
        .filter(({ input, output }) => !input && !output)
        .flatMap(({ operation }) => {
          const [from, to] = [busOperation(old, operation), busOperation(current, operation)];
          const problem = from && to && operationProblem(from, to);
          return problem === undefined
            ? []
            : [`the module ${consumer.alias} consumes ${operation}, which is no longer compatible: ${problem}`];
        }),
    );
}
