import { type Route, route, Type } from '@chowk/kit';
import { invalid } from '../errors.ts';
import type { SettingsStore } from '../tenancy/settings.ts';

const Settings = Type.Record(Type.String(), Type.Unknown(), { description: 'Dotted keys to values.' });
const answer = Type.Object({ settings: Settings });

export const settingsRoutes = (settings: SettingsStore): Route[] => [
  route({
    method: 'GET',
    path: '/settings',
    tag: 'Settings',
    summary: "The tenant's settings, defaults filled in.",
    needs: 'settings.view',
    answer,
    run: async (ctx) => ({
      settings: await settings.visible(ctx.tenant.id, (permission) => ctx.can(permission)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/settings',
    tag: 'Settings',
    summary: 'Changes the given settings, all or none; null goes back to the default.',
    needs: 'settings.edit',
    body: Settings,
    answer: Type.Object({ message: Type.String(), settings: Settings }),
    run: async (ctx, { body }) => {
      const can = (permission: string) => ctx.can(permission);
      await settings.change(ctx.tenant.id, unwrap(body), can);
      return { message: 'The settings were saved.', settings: await settings.visible(ctx.tenant.id, can) };
    },
  }),
];

/** What GET answers may be sent back as it is. */
function unwrap(body: Record<string, unknown>): Record<string, unknown> {
  const { settings, ...rest } = body;
  if (settings === undefined || Object.keys(rest).length > 0) return body;
  if (typeof settings === 'object' && settings !== null) return settings as Record<string, unknown>;
  throw invalid({ settings: ['The settings must be an object of dotted keys to values.'] });
}
