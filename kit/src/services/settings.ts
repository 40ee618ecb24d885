import type { Settings } from '../catalogue.ts';
import type { SettingDefinition } from '../settings.ts';

/** The settings of tenants. `can` checks the permission of settings that have one. */
export interface SettingsService {
  get(tenantId: string): Promise<Settings>;
  /** The settings that the caller may see, with defaults filled in. */
  visible(tenantId: string, can: (permission: string) => boolean): Promise<Readonly<Record<string, unknown>>>;
  /** The declarations of the settings that the caller may see. */
  describe(can: (permission: string) => boolean): readonly SettingDefinition[];
  /** Changes all of the settings or, if one of them is invalid, none. `null` restores the default. */
  change(
    tenantId: string,
    changes: Readonly<Record<string, unknown>>,
    can: (permission: string) => boolean,
  ): Promise<void>;
}
