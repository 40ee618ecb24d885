import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { signedIn } from '@chowk/kit';
import { expect, test } from 'vitest';
import { repositoryModules } from '../../server/testing/repository-modules.ts';

/* Every permission that a role can have guards something. */

const modules = await repositoryModules();
const seeded = modules
  .flatMap(({ manifest }) => (manifest.permissions ?? []).map((one) => (typeof one === 'string' ? one : one.name)))
  .sort();

/** Permissions that a declaration names: of an action, an event, a setting or a call to another module. */
const declared = new Set(
  modules.flatMap(({ definition, manifest }) => [
    ...Object.values(definition.actions ?? {}).flatMap(({ needs }) => needs ?? []),
    ...Object.values(definition.events ?? {}).flatMap(({ needs }) => needs ?? []),
    ...Object.values(definition.settings ?? {}).flatMap(({ permission }) => permission ?? []),
    ...(manifest.api?.consumes ?? []).flatMap((one) => (typeof one === 'object' ? (one.permission ?? []) : [])),
  ]),
);

/** Permissions that the code of an action asks for, with the file that does. */
const inCode: Readonly<Record<string, string>> = {
  'customers.view_sensitive': 'modules/customers/columns.ts',
  'modules.install': 'modules/rings/modules.ts',
  'orders.cancel': 'modules/orders/rules.ts',
  'orders.refund': 'modules/orders/rules.ts',
  'reseller.catalogue.manage': 'modules/products/catalogue-rules.ts',
  'team.roles.assign': 'modules/identity/team/team.ts',
};

/** Permissions of the contract whose feature does not exist yet. Delete the line when it does. */
const planned: Readonly<Record<string, string>> = {
  'modules.configure': 'planned: modules have no configuration of their own beside the settings',
  'modules.uninstall': 'planned: the data of a disabled module stays, and no action deletes it',
  'notifications.broadcast': 'planned: no action writes to all customers',
  'notifications.templates.manage': 'planned: templates are part of rules, which need notifications.rules.manage',
  'settings.billing': 'planned: there is no billing',
};

test('there are 68 permissions, each guards something or is planned', () => {
  expect(seeded).toHaveLength(68);
  const guards = new Set([...declared, ...Object.keys(inCode), ...Object.keys(planned)]);
  expect(seeded.filter((name) => !guards.has(name))).toEqual([]);
});

test('nothing needs a permission that nobody can have', () => {
  const known = new Set([signedIn, ...seeded]);
  const needed = [...declared, ...Object.keys(inCode), ...Object.keys(planned)];
  expect(needed.filter((name) => !known.has(name))).toEqual([]);
});

test('what is planned guards nothing yet', () => {
  const existing = Object.keys(planned).filter((name) => declared.has(name) || name in inCode);
  expect(existing).toEqual([]);
  for (const reason of Object.values(planned)) expect(reason).toMatch(/^planned: \S/);
});

test.each(Object.entries(inCode))('%s is asked for in %s', async (permission, file) => {
  expect(await readFile(resolve(import.meta.dirname, '../..', file), 'utf8')).toContain(`'${permission}'`);
});
