import { type Actions, action, changesBetween, invalid, Type } from '@chowk/kit';
import type { SettingsStore } from '../tenancy/settings.ts';

const Values = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Dotted keys to values.',
  examples: [{ 'general.currency': 'INR' }],
});
const tag = 'Settings';

export const settingsActions = (store: SettingsStore): Actions => ({
  'settings.get': action({
    summary: 'Get the settings',
    description: 'All settings that the caller may see, with defaults filled in.',
    tag,
    http: 'GET /settings',
    needs: 'settings.view',
    output: Values,
    answer: { key: 'settings' },
    run: (ctx) => store.visible(ctx.tenant.id, (permission) => ctx.can(permission)) as Promise<Record<string, unknown>>,
  }),
  'settings.update': action({
    summary: 'Change settings',
    description: 'Changes all of the given settings or none; null restores the default.',
    tag,
    http: 'PATCH /settings',
    needs: 'settings.edit',
    input: Type.Object(
      {},
      { additionalProperties: true, title: 'SettingsChanges', examples: [{ 'general.currency': 'INR' }] },
    ),
    output: Values,
    answer: { key: 'settings', message: 'Settings saved.' },
    run: async (ctx, input) => {
      const can = (permission: string) => ctx.can(permission);
      const before = await store.visible(ctx.tenant.id, can);
      await store.change(ctx.tenant.id, unwrap(input), can);
      const after = await store.visible(ctx.tenant.id, can);
      ctx.audit(changesBetween(before, after));
      return { ...after };
    },
  }),
});

/** What GET answers may be sent back as it is. */
function unwrap(input: object): Readonly<Record<string, unknown>> {
  const { settings, ...rest } = input as Record<string, unknown>;
  if (settings === undefined || Object.keys(rest).length > 0) return input as Record<string, unknown>;
  if (typeof settings === 'object' && settings !== null) return settings as Record<string, unknown>;
  throw invalid({ settings: 'The settings must be an object of dotted keys to values.' });
}
