import type { Static, TSchema } from './schema.ts';

/** A setting that a tenant may change. */
export interface Setting<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  readonly default: unknown;
  readonly description: string;
  /** Reading and changing it needs this permission in addition to `settings.view` and `settings.edit`. */
  readonly permission?: string;
}

export interface SettingDefinition extends Setting {
  /** Dotted, beginning with the owner: `customers.vip_order_threshold`. */
  readonly key: string;
}

/** Declares a setting; `npm run generate` writes it into `module.json`. */
export function setting<Schema extends TSchema>(
  definition: Setting<Schema> & { readonly default: Static<Schema> },
): Setting<Schema> {
  return definition;
}

/** The values by key, as `ctx.settings()` returns them. */
export type SettingTypes<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Schema> ? Static<Schema> : never;
};

export function settingDefinitions(table: Readonly<Record<string, Setting>>): SettingDefinition[] {
  return Object.entries(table).map(([key, definition]) => ({ key, ...definition }));
}
