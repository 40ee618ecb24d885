import type { TSchema } from './schema.ts';

/** A setting that a tenant may change, declared by the kernel or by a module. */
export interface SettingDefinition {
  /** Dotted, first the owner: `customers.vip_order_threshold`. */
  readonly key: string;
  readonly schema: TSchema;
  readonly default: unknown;
  readonly description: string;
  /** Seeing and changing it needs this permission besides `settings.view` and `settings.edit`. */
  readonly permission?: string;
}

/** The settings of one tenant, defaults filled in. */
export type Settings = Readonly<Record<string, unknown>>;
