import { type Ctx, sql } from '@chowk/kit';
import type { Message } from '../schemas.ts';
import { endOfSpan } from './local-time.ts';
import type { Channels } from './preference-schemas.ts';

export type NotificationTypes = Awaited<ReturnType<Ctx['notificationTypes']>>;

/** What a user has changed; everything else has its default. */
export type OwnChannels = Partial<Channels>;

/** When a user may be notified. */
export interface Timing {
  /** In minutes since midnight; `null`: no quiet hours. */
  readonly quiet_from: number | null;
  readonly quiet_to: number | null;
  /** `null`: that of the profile, else of the tenant. */
  readonly time_zone: string | null;
  readonly digest_hour: number;
}

/** How a user gets a notification. */
export interface Route extends Channels, Timing {
  readonly user_id: number;
  readonly is_critical: boolean;
  /** The time zone that applies. */
  readonly zone: string;
  readonly has_device: boolean;
  /** A digest is on its way. */
  readonly awaits_digest: boolean;
}

interface Row extends Timing {
  readonly user_id: number;
  readonly defaults: OwnChannels | null;
  readonly own: OwnChannels | null;
  readonly has_device: boolean;
  readonly awaits_digest: boolean;
}

export const standardChannels: Channels = { in_app: true, push: true, email: 'off' };
/** For those who can switch the type on. */
const offChannels: Channels = { in_app: false, push: false, email: 'off' };
const criticalChannels: Channels = { in_app: true, push: true, email: 'immediate' };
export const standardTiming: Timing = { quiet_from: null, quiet_to: null, time_zone: null, digest_hour: 8 };
/** A digest that has not been sent by then is lost, and another one is queued. */
const maxDigestWaitMs = 24 * 3_600_000;

interface Choices {
  /** Whether the type is on for the user by default. */
  readonly isOn: boolean;
  /** For types without their own channels. */
  readonly defaults: OwnChannels | null | undefined;
  /** For the type. */
  readonly own: OwnChannels | null | undefined;
}

export function channelsFor(
  declared: NotificationTypes[string] | undefined,
  { isOn, defaults, own }: Choices,
): Channels {
  if (declared?.critical) return criticalChannels;
  return { ...(isOn ? { ...standardChannels, ...defaults } : offChannels), ...own };
}

/** By user, the time zones of profiles, and which of the permissions of the type they have. */
export type Profiles = ReadonlyMap<
  number,
  { readonly timezone: string | null; readonly permissions?: readonly string[] }
>;

/** In the order of the users' ids. One statement reads the preferences of all of them. */
export async function routesTo(
  ctx: Ctx,
  users: Profiles,
  { to, type }: Pick<Message, 'to' | 'type'>,
): Promise<Route[]> {
  const ids = [...users.keys()].toSorted((one, other) => one - other);
  const { [type]: declared } = await ctx.notificationTypes();
  const { 'general.timezone': tenantZone } = await ctx.settings();
  const changed = new Map((await findRows(ctx, ids, type)).map((row) => [row.user_id, row]));
  // Those who are addressed themselves get it by default.
  const isOn = (user: number) =>
    to !== 'members' || !declared?.defaultFor || users.get(user)?.permissions?.includes(declared.defaultFor) === true;
  return ids.map((user_id) => {
    const row = changed.get(user_id) ?? { ...standardTiming, has_device: false, awaits_digest: false };
    const { defaults, own, ...rest } = { defaults: null, own: null, ...row };
    return {
      ...rest,
      ...channelsFor(declared, { isOn: isOn(user_id), defaults, own }),
      user_id,
      is_critical: declared?.critical ?? false,
      zone: row.time_zone ?? users.get(user_id)?.timezone ?? tenantZone,
    };
  });
}

/** Only of users with preferences or devices. */
function findRows(ctx: Ctx, users: readonly number[], type: string): Promise<Row[]> {
  const since = new Date(ctx.now().getTime() - maxDigestWaitMs);
  return ctx.db.rows<Row>(sql`
    SELECT * FROM (
      SELECT u.id AS user_id, p.defaults, p.types -> ${type}::text AS own, p.quiet_from, p.quiet_to, p.time_zone,
        coalesce(p.digest_hour, ${standardTiming.digest_hour}) AS digest_hour, p.user_id IS NOT NULL AS is_changed,
        EXISTS (SELECT FROM devices d WHERE d.user_id = u.id) AS has_device,
        EXISTS (SELECT FROM notification_digest_items i WHERE i.user_id = u.id AND i.created_at > ${since}) AS awaits_digest
      FROM unnest(${users}::bigint[]) AS u (id) LEFT JOIN notification_preferences p ON p.user_id = u.id) AS recipients
    WHERE is_changed OR has_device`);
}

/** The first moment from `at` on that is not in the quiet hours. */
export function afterQuietHours({ quiet_from: from, quiet_to: to }: Timing, at: Date, zone: string): Date {
  return from === null || to === null ? at : endOfSpan({ from, to }, at, zone);
}
