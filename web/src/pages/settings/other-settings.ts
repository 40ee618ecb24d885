import type { DescribedSetting } from '@chowk/client';
import { type SettingSchema, settingLabel } from './setting-schema.ts';

/** The beginnings of settings that have a page of their own. */
const placed = [
  ...['general.', 'security.', 'audit.', 'events.', 'customers.', 'orders.', 'products.', 'pricing.', 'payments.'],
  ...['invoices.', 'widget.', 'conversations.', 'graphql.'],
  ...['notifications.email_provider', 'notifications.sms_provider', 'notifications.whatsapp_provider'],
];
const shown: readonly SettingSchema['type'][] = ['boolean', 'integer', 'number', 'string'];

interface SettingGroup {
  readonly title: string;
  readonly settings: readonly string[];
}

/** All others, by module: those of a new module appear without a page for them. */
export function groupOthers(definitions: readonly DescribedSetting[]): readonly SettingGroup[] {
  const others = definitions.filter(
    ({ key, schema }) =>
      !placed.some((start) => key.startsWith(start)) &&
      (shown.includes((schema as SettingSchema).type) || (schema as SettingSchema).enum !== undefined),
  );
  const groups = Map.groupBy(others, ({ key }) => key.slice(0, key.indexOf('.')));
  return [...groups].map(([name, all]) => ({ title: moduleTitle(name), settings: all.map(({ key }) => key) }));
}

const titles: Readonly<Record<string, string>> = { mcp: 'AI agents (MCP)' };

function moduleTitle(name: string): string {
  return titles[name] ?? settingLabel(`module.${name.replaceAll('-', ' ')}`);
}
