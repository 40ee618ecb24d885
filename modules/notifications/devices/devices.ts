import { type Ctx, columnsFor, Line, NamedObject, type Static, sql, Timestamp, Type, Uuid } from '@chowk/kit';
import { fail } from '../errors.ts';

/** Bounds the messages that one notification causes. */
const maxPerUser = 20;

const platform = Type.Enum(['ios', 'android', 'web']);

export const NewDevice = NamedObject('NewDevice', {
  token: Line(1_000, { description: 'The registration token of Firebase Cloud Messaging.' }),
  platform,
});

export const Device = NamedObject('Device', {
  id: Uuid,
  token: Type.String(),
  platform,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Device = Static<typeof Device>;

const columns = columnsFor(Device, sql`d`);

/** A known token belongs to its last user. Beyond the maximum, those that were registered longest ago are removed. */
export async function registerDevice(ctx: Ctx, { token, platform }: Static<typeof NewDevice>): Promise<Device> {
  const session = await ctx.bus.call('identity.claimDevice', { token });
  const [id, user, now] = [ctx.newId(), ctx.user.id, ctx.now()];
  return ctx.tx(async (tx) => {
    const device = await tx.db.row<Device>(sql`
      INSERT INTO devices AS d (id, user_id, session_id, token, platform, created_at, updated_at)
      VALUES (${id}, ${user}, ${session}, ${token}, ${platform}, ${now}, ${now})
      ON CONFLICT (token) DO UPDATE SET user_id = excluded.user_id, session_id = excluded.session_id,
        platform = excluded.platform, updated_at = excluded.updated_at,
        id = CASE WHEN d.user_id = excluded.user_id THEN d.id ELSE excluded.id END,
        created_at = CASE WHEN d.user_id = excluded.user_id THEN d.created_at ELSE excluded.created_at END
      RETURNING ${columns}`);
    await tx.db.run(sql`
      DELETE FROM devices WHERE id IN (
        SELECT id FROM devices WHERE user_id = ${user} ORDER BY updated_at DESC, id DESC OFFSET ${maxPerUser})`);
    return device as Device;
  });
}

export async function listDevices(ctx: Ctx): Promise<{ devices: Device[] }> {
  return {
    devices: await ctx.db.rows<Device>(sql`
      SELECT ${columns} FROM devices d WHERE user_id = ${ctx.user.id} ORDER BY updated_at DESC, id DESC`),
  };
}

export async function deleteDevice(ctx: Ctx, { id }: { id: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const deleted = await tx.db.run(sql`DELETE FROM devices WHERE id = ${id} AND user_id = ${tx.user.id}`);
    if (deleted === 0) throw fail('notifications.device_not_found', { id });
  });
}
