import { changesBetween, invalid, type SystemCtx } from '@chowk/kit';
import type { DescribedSetting } from './schemas.ts';

export async function getSettings(ctx: SystemCtx): Promise<Record<string, unknown>> {
  return { ...(await ctx.system.settings.visible(ctx.tenant.id, permissionCheck(ctx))) };
}

export async function describeSettings(ctx: SystemCtx): Promise<DescribedSetting[]> {
  const settings = ctx.system.settings.describe(permissionCheck(ctx));
  return settings.map(({ key, description, schema, default: value }) => ({ key, description, schema, default: value }));
}

export async function updateSettings(ctx: SystemCtx, input: object): Promise<Record<string, unknown>> {
  const before = await getSettings(ctx);
  await ctx.system.settings.change(ctx.tenant.id, unwrapSettings(input), permissionCheck(ctx));
  const after = await getSettings(ctx);
  const changes = changesBetween(before, after);
  ctx.audit(changes);
  if (Object.keys(changes).length > 0) await ctx.emit('settings.changed', { keys: Object.keys(changes) });
  return after;
}

function permissionCheck(ctx: SystemCtx): (permission: string) => boolean {
  return (permission) => ctx.can(permission);
}

/** The response of `GET /settings` may be sent back as it is: `{ "settings": { … } }`. */
function unwrapSettings(input: object): Record<string, unknown> {
  const { settings, ...rest } = input as Record<string, unknown>;
  if (settings === undefined || Object.keys(rest).length > 0) return input as Record<string, unknown>;
  if (typeof settings === 'object' && settings !== null) return settings as Record<string, unknown>;
  throw invalid({ settings: 'The settings must be an object of dotted keys to values.' });
}
