import { type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Status, Steps } from './schemas.ts';

const requirementsKey = 'installation.requirements';
const stepNames = ['requirements', 'database', 'seed', 'owner'] as const;
export type StepName = (typeof stepNames)[number];

/** The state of an incomplete installation, from what its steps have created. */
export async function readStatus(ctx: SystemCtx): Promise<Status> {
  const requirements = await ctx.central.row(sql`SELECT FROM platform_settings WHERE key = ${requirementsKey}`);
  const done = {
    requirements: requirements !== undefined,
    database: await ctx.bus.call('identity.isSetUp', {}),
    seed: await ctx.bus.call('identity.isSeeded', {}),
    owner: false,
  };
  // After a reset the seed exists already, but a step after a pending one is pending too.
  const reached = stepNames.findIndex((name) => !done[name]);
  const state = (index: number) => (index < reached ? 'completed' : 'pending');
  const steps = Object.fromEntries(stepNames.map((name, index) => [name, state(index)])) as Steps;
  return { installed: false, current_step: reached + 1, steps };
}

/** A step may be taken, or repeated, once all earlier ones are completed. */
export async function mustBeReached(ctx: SystemCtx, step: StepName): Promise<void> {
  const { current_step } = await readStatus(ctx);
  if (current_step > stepNames.indexOf(step)) return;
  const name = stepNames[current_step - 1];
  throw fail('installation.out_of_order', { step: current_step, name }, { body: { current_step } });
}

/** Records whether the requirements are met. */
export async function recordRequirements(ctx: SystemCtx, passed: boolean): Promise<void> {
  if (!passed) {
    await ctx.central.run(sql`DELETE FROM platform_settings WHERE key = ${requirementsKey}`);
    return;
  }
  const value = JSON.stringify({ met_at: ctx.now().toISOString() });
  await ctx.central.run(sql`
    INSERT INTO platform_settings (key, value) VALUES (${requirementsKey}, ${value}) ON CONFLICT (key) DO NOTHING`);
}
