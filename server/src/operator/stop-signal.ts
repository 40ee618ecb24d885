/**
 * Resolves with the name of the first stop signal, SIGINT or SIGTERM. Further ones have no effect: a terminal sends them to
 * npm and to its processes, and npm forwards its own.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
  });
}
