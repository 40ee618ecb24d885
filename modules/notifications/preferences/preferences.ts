import { type Ctx, invalid, sql } from '@chowk/kit';
import { awaitsDigest, queueDigests } from './digest.ts';
import type { PreferenceChanges, Preferences } from './preference-schemas.ts';
import {
  channelsFor,
  type NotificationTypes,
  type OwnChannels,
  standardChannels,
  standardTiming,
  type Timing,
} from './routing.ts';

interface StoredPreferences extends Timing {
  readonly defaults: OwnChannels;
  readonly types: Readonly<Record<string, OwnChannels>>;
}

const maxTypes = 500;
const untouched: StoredPreferences = { defaults: {}, types: {}, ...standardTiming };

export async function getPreferences(ctx: Ctx): Promise<Preferences> {
  return describe(ctx, (await findPreferences(ctx)) ?? untouched);
}

export async function updatePreferences(ctx: Ctx, changes: PreferenceChanges): Promise<Preferences> {
  checkChanges(changes, await ctx.notificationTypes());
  return ctx.tx(async (tx) => {
    const { id: user } = tx.user;
    const now = tx.now();
    await tx.db.run(sql`
      INSERT INTO notification_preferences (user_id, created_at, updated_at) VALUES (${user}, ${now}, ${now})
      ON CONFLICT (user_id) DO NOTHING`);
    const current = (await findPreferences(tx, { isLocked: true })) as StoredPreferences;
    const next = applyChanges(current, changes);
    await store(tx, next);
    // The digest that is queued for another time will not be sent.
    if (await awaitsDigest(tx, user))
      await queueDigests(tx, [{ ...next, user_id: user, zone: await findTimeZone(tx, next) }]);
    return describe(tx, next);
  });
}

function findPreferences(ctx: Ctx, { isLocked = false } = {}): Promise<StoredPreferences | undefined> {
  return ctx.db.row<StoredPreferences>(sql`
    SELECT defaults, types, quiet_from, quiet_to, time_zone, digest_hour FROM notification_preferences
    WHERE user_id = ${ctx.user.id} ${isLocked ? sql`FOR UPDATE` : sql``}`);
}

async function store(ctx: Ctx, next: StoredPreferences): Promise<void> {
  const { defaults, types, quiet_from, quiet_to, time_zone, digest_hour } = next;
  await ctx.db.run(sql`
    UPDATE notification_preferences SET defaults = ${JSON.stringify(defaults)}::jsonb,
      types = ${JSON.stringify(types)}::jsonb, quiet_from = ${quiet_from}, quiet_to = ${quiet_to},
      time_zone = ${time_zone}, digest_hour = ${digest_hour}, updated_at = ${ctx.now()}
    WHERE user_id = ${ctx.user.id}`);
}

function checkChanges({ types = [], quiet_hours: quiet }: PreferenceChanges, declared: NotificationTypes): void {
  const fixed = types.findIndex(({ type }) => declared[type]?.critical);
  if (fixed >= 0) {
    throw invalid({ [`types.${fixed}.type`]: { code: 'invalid', message: 'Critical notifications are always sent.' } });
  }
  if (quiet && quiet.from === quiet.to) {
    throw invalid({ 'quiet_hours.to': { code: 'invalid', message: 'Must not be the same as the beginning.' } });
  }
}

function applyChanges(current: StoredPreferences, changes: PreferenceChanges): StoredPreferences {
  const { defaults, types = [], quiet_hours, time_zone = current.time_zone, digest_hour } = changes;
  const own = { ...current.types };
  for (const { type, ...channels } of types) own[type] = merge(own[type], channels);
  const kept = Object.fromEntries(Object.entries(own).filter(([, channels]) => Object.keys(channels).length > 0));
  if (Object.keys(kept).length > maxTypes) {
    throw invalid({ types: { code: 'too_many', message: `At most ${maxTypes} types can have their own channels.` } });
  }
  return {
    defaults: merge(current.defaults, defaults),
    types: kept,
    quiet_from: quiet_hours === undefined ? current.quiet_from : parseClock(quiet_hours?.from),
    quiet_to: quiet_hours === undefined ? current.quiet_to : parseClock(quiet_hours?.to),
    time_zone,
    digest_hour: digest_hour ?? current.digest_hour,
  };
}

/** `null` removes a value. */
function merge(current: OwnChannels | undefined, changes: object | undefined): OwnChannels {
  const entries = Object.entries({ ...current, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

async function describe(ctx: Ctx, preferences: StoredPreferences): Promise<Preferences> {
  const { defaults, types, quiet_from, quiet_to, digest_hour } = preferences;
  const declared = await ctx.notificationTypes();
  const { can } = await ctx.audience(ctx.user.id);
  const may = (permission: string | undefined) => permission === undefined || can(permission);
  const names = [...new Set([...Object.keys(declared), ...Object.keys(types)])]
    .filter((type) => may(declared[type]?.needs))
    .toSorted();
  return {
    defaults: { ...standardChannels, ...defaults },
    types: names.map((type) => ({
      type,
      module: declared[type]?.module ?? null,
      description: declared[type]?.description ?? null,
      critical: declared[type]?.critical ?? false,
      ...channelsFor(declared[type], { isOn: may(declared[type]?.defaultFor), defaults, own: types[type] }),
    })),
    quiet_hours:
      quiet_from === null || quiet_to === null ? null : { from: formatClock(quiet_from), to: formatClock(quiet_to) },
    time_zone: await findTimeZone(ctx, preferences),
    digest_hour,
  };
}

async function findTimeZone(ctx: Ctx, { time_zone }: Timing): Promise<string> {
  if (time_zone !== null) return time_zone;
  const { id } = ctx.user;
  const [member] = await ctx.bus.call('identity.members', { ids: [id] });
  return member?.timezone ?? (await ctx.settings())['general.timezone'];
}

function parseClock(clock: string | undefined): number | null {
  if (clock === undefined) return null;
  const [hours, minutes] = clock.split(':').map(Number);
  return (hours as number) * 60 + (minutes as number);
}

function formatClock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
