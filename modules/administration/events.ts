import { defineEvent, type EventTypes, Type } from '@chowk/kit';

export const events = {
  'tenant.database_migrated': defineEvent({
    summary: "All migrations were applied to the tenant's database, which may be new",
    internal: true,
    payload: Type.Object({ tenant_id: Type.String() }),
  }),
  'tenant.restored': defineEvent({
    summary: 'The data of the tenant was restored from a backup; followers must read everything again',
    // Without `needs`: every follower must get it.
    payload: Type.Object({ tenant_id: Type.String() }),
  }),
  'settings.changed': defineEvent({
    summary: 'Settings of the tenant were changed; `keys` lists them',
    payload: Type.Object({ keys: Type.Array(Type.String()) }),
    needs: 'settings.view',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
