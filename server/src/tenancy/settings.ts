import {
  Currency,
  type Db,
  GuardedCache,
  type SettingDefinition,
  type Settings,
  type SettingTypes,
  setting,
  settingDefinitions,
  sql,
  Type,
} from '@chowk/kit/kernel';
import type { Signals } from '../db/signals.ts';
import { fail, invalid } from '../errors.ts';
import { compileBody, type FieldErrors, type Validator } from '../schemas/validation.ts';

/** Settings that every tenant has, independent of its modules. */
const settings = {
  'general.timezone': setting({
    schema: Type.String({ format: 'time-zone' }),
    default: 'Asia/Kolkata',
    description: 'The IANA time zone that defines when a day begins.',
  }),
  'general.currency': setting({
    schema: Currency,
    default: 'INR',
    description: 'The ISO 4217 currency of new orders without one, and of order statistics.',
  }),
  'general.country': setting({
    schema: Type.String({ pattern: '^[A-Z]{2}$', description: 'Two capital letters of ISO 3166, such as IN.' }),
    default: 'IN',
    description: 'The ISO 3166 country of the organization. Phone numbers without a country code belong to it.',
  }),
  'audit.retention_days': setting({
    schema: Type.Integer({ minimum: 1, maximum: 3650 }),
    default: 90,
    description: 'Days to keep the log of changes.',
  }),
  'events.retention_days': setting({
    schema: Type.Integer({ minimum: 1, maximum: 365 }),
    default: 30,
    description: 'Days to keep events that clients can read.',
  }),
  'security.unverified_users': setting({
    schema: Type.Enum(['full', 'view', 'none']),
    default: 'view',
    description:
      'Access of users who have never verified their email address: `full` (as their role), `view` (read only) or `none`.',
    permission: 'settings.security',
  }),
  'general.locale': setting({
    schema: Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', description: 'A locale, such as en-IN.' }),
    default: 'en-IN',
    description: 'The locale of numbers and dates.',
  }),
};
export const kernelSettings: readonly SettingDefinition[] = settingDefinitions(settings);

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}

type Values = Readonly<Record<string, unknown>>;

interface DeclaredSetting extends SettingDefinition {
  readonly validate: Validator;
}

/** The settings of tenants: declared keys only, with defaults filled in. Cached until a change is committed. */
export class SettingsStore {
  readonly #central: Db;
  readonly #declared: ReadonlyMap<string, DeclaredSetting>;
  readonly #defaults: Values;
  readonly #cache: GuardedCache<Values>;

  constructor(central: Db, definitions: readonly SettingDefinition[], signals: Signals) {
    this.#central = central;
    this.#declared = new Map(
      definitions.map((setting) => [setting.key, { ...setting, validate: compileBody(objectSchema(setting)) }]),
    );
    this.#defaults = Object.fromEntries(definitions.map((setting) => [setting.key, setting.default]));
    this.#cache = new GuardedCache({ max: 20_000, load: (tenantId) => this.#load(tenantId) });
    void signals.listen('chowk_settings', {
      onNotify: (tenantId) => this.#cache.invalidate(tenantId),
      onConnectionChange: (ok) => this.#cache.trust(ok),
    });
  }

  async get(tenantId: string): Promise<Settings> {
    return (await this.#loadValues(tenantId)) as unknown as Settings;
  }

  /** The settings that the caller may see; a setting with its own permission requires it. */
  async visible(tenantId: string, can: (permission: string) => boolean): Promise<Values> {
    const settings = await this.#loadValues(tenantId);
    const keys = Object.keys(settings).filter((key) => hasAccess(this.#declared.get(key), can));
    return Object.fromEntries(keys.map((key) => [key, settings[key]]));
  }

  /** The declarations of the settings that the caller may see. */
  describe(can: (permission: string) => boolean): readonly SettingDefinition[] {
    return [...this.#declared.values()].filter((setting) => hasAccess(setting, can));
  }

  /** Changes all of the settings or, if one of them is invalid, none. `null` restores the default. */
  async change(tenantId: string, changes: Values, can: (permission: string) => boolean): Promise<void> {
    const errors: FieldErrors = {};
    const normalized: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(changes)) {
      const setting = this.#declared.get(key);
      const field = { [key]: value };
      if (!setting) errors[key] = [{ code: 'unknown', message: `There is no setting ${key}.` }];
      else if (!hasAccess(setting, can)) throw fail('auth.forbidden', { permission: setting.permission });
      // Validation normalizes the value in place.
      else if (value !== null) Object.assign(errors, setting.validate(field));
      Object.assign(normalized, field);
    }
    await this.#checkTimeZone(normalized, errors);
    if (Object.keys(errors).length > 0) throw invalid(errors);
    await this.#write(tenantId, normalized);
    this.#cache.invalidate(tenantId);
  }

  /** PostgreSQL computes the tenant's days, and some time zone names of JavaScript are unknown to it or mean another zone. */
  async #checkTimeZone({ 'general.timezone': zone }: Values, errors: FieldErrors): Promise<void> {
    if (typeof zone !== 'string' || errors['general.timezone']) return;
    const known = await this.#central.row(sql`SELECT FROM pg_timezone_names WHERE name = ${zone}`);
    const message = 'The timezone must be a valid time zone, such as Asia/Kolkata.';
    if (!known) errors['general.timezone'] = [{ code: 'invalid', message }];
  }

  async #loadValues(tenantId: string): Promise<Values> {
    return (await this.#cache.get(tenantId)) ?? this.#defaults;
  }

  async #load(tenantId: string): Promise<Values> {
    const rows = await this.#central.rows<{ key: string; value: unknown }>(
      sql`SELECT key, value FROM tenant_settings WHERE tenant_id = ${tenantId}`,
    );
    // Another version of a module may have stored a key or a value that this one does not know; it stays in the table.
    const stored = rows.filter((row) => this.#isValid(row)).map(({ key, value }) => [key, value] as const);
    return Object.freeze({ ...this.#defaults, ...Object.fromEntries(stored) });
  }

  #isValid({ key, value }: { key: string; value: unknown }): boolean {
    const setting = this.#declared.get(key);
    return setting !== undefined && !setting.validate({ [key]: structuredClone(value) });
  }

  async #write(tenantId: string, changes: Values): Promise<void> {
    await this.#central.run(sql`
      WITH change AS (SELECT key, value FROM jsonb_each(${JSON.stringify(changes)}::jsonb)),
      reset AS (
        DELETE FROM tenant_settings s USING change c
        WHERE s.tenant_id = ${tenantId} AND s.key = c.key AND c.value = 'null'::jsonb)
      INSERT INTO tenant_settings (tenant_id, key, value)
      SELECT ${tenantId}, key, value FROM change WHERE value <> 'null'::jsonb
      ON CONFLICT (tenant_id, key) DO UPDATE SET value = excluded.value, updated_at = now()`);
  }
}

/** Validated as a field of an object, so that messages contain the name of the setting. */
function objectSchema({ key, schema }: SettingDefinition) {
  return Type.Object({ [key]: schema });
}

function hasAccess(setting: SettingDefinition | undefined, can: (permission: string) => boolean): boolean {
  return setting?.permission === undefined || can(setting.permission);
}
