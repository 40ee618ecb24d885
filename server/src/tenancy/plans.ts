import { type Db, type Sql, sql, type TenantLimits } from '@chowk/kit/kernel';

export interface Plan extends Omit<TenantLimits, 'plan'> {
  readonly name: string;
  readonly is_default: boolean;
  /** How many tenants have it, also those that have it by default. */
  readonly tenants: number;
}

export const limitNames = ['requests_per_minute', 'storage_mb', 'messages_per_day', 'connections'] as const;

export type LimitName = (typeof limitNames)[number];

/** The limits of the tenant `t`. */
export const tenantLimits: Sql = sql`
  (SELECT json_build_object('plan', min(p.name), 'requests_per_minute', min(p.requests_per_minute),
      'storage_mb', min(p.storage_mb), 'messages_per_day', min(p.messages_per_day), 'connections', min(p.connections))
    FROM plans p WHERE p.name = t.plan OR t.plan IS NULL AND p.is_default)`;

export function listPlans(central: Db): Promise<Plan[]> {
  return central.rows<Plan>(sql`
    SELECT p.name, p.requests_per_minute, p.storage_mb, p.messages_per_day, p.connections, p.is_default,
      (SELECT count(*)::int FROM tenants t WHERE t.plan = p.name OR t.plan IS NULL AND p.is_default) AS tenants
    FROM plans p ORDER BY p.name`);
}

/** Throws for the operator if there is no such plan. */
export async function requirePlan(central: Db, name: string): Promise<Plan> {
  const plans = await listPlans(central);
  const plan = plans.find((one) => one.name === name);
  if (plan) return plan;
  const names = plans.map((one) => one.name).join(', ');
  throw new Error(
    `there is no plan ${name}; ${names === '' ? "create it with 'chowkd plan:set'" : `the plans are ${names}`}`,
  );
}

/** Creates a plan, or changes the limits that are given. `null` removes a limit. Returns whether the plan is new. */
export async function savePlan(
  central: Db,
  name: string,
  given: Partial<Record<LimitName, number | null>> & { readonly is_default?: boolean },
): Promise<boolean> {
  return central.tx(async (tx) => {
    await tx.run(sql`LOCK TABLE plans IN SHARE ROW EXCLUSIVE MODE`);
    const existing = (await listPlans(tx)).find((plan) => plan.name === name);
    const plan = { ...existing, ...given };
    if (given.is_default) await tx.run(sql`UPDATE plans SET is_default = false WHERE is_default AND name <> ${name}`);
    await tx.run(sql`
      INSERT INTO plans AS p (name, requests_per_minute, storage_mb, messages_per_day, connections, is_default)
      VALUES (${name}, ${plan.requests_per_minute ?? null}, ${plan.storage_mb ?? null}, ${plan.messages_per_day ?? null},
        ${plan.connections ?? null}, ${plan.is_default ?? false})
      ON CONFLICT (name) DO UPDATE SET requests_per_minute = excluded.requests_per_minute,
        storage_mb = excluded.storage_mb, messages_per_day = excluded.messages_per_day,
        connections = excluded.connections, is_default = excluded.is_default, updated_at = now()`);
    return existing === undefined;
  });
}

/** Without a name the tenant has the default plan. */
export async function assignPlan(central: Db, tenantId: string, name: string | null): Promise<void> {
  await central.run(sql`UPDATE tenants SET plan = ${name} WHERE id = ${tenantId}`);
}

/** Returns whether it was deleted: a plan that tenants have is kept. */
export async function deletePlan(central: Db, name: string): Promise<boolean> {
  const deleted = await central.run(sql`
    DELETE FROM plans WHERE name = ${name} AND NOT EXISTS (SELECT FROM tenants WHERE plan = ${name})`);
  return deleted > 0;
}
