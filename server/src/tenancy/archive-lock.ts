import { type Central, runIfUnlocked } from './central-database.ts';

/** Runs while no other process imports or deletes the tenant. A killed process holds no lock. */
export async function whileLocked<Result>(
  central: Central,
  tenantId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  const isFree = await runIfUnlocked(central, `tenant ${tenantId}`, async () => {
    result = { value: await work() };
  });
  if (!isFree || !result) throw new Error(`another process imports or deletes ${tenantId}`);
  return result.value;
}

/** Whether no process imports or deletes the tenant. */
export function isUnlocked(central: Central, tenantId: string): Promise<boolean> {
  return runIfUnlocked(central, `tenant ${tenantId}`, async () => {});
}
