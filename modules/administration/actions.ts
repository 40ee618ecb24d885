import { action, systemAction, Type } from '@chowk/kit';
import { auditLog } from './audit-log.ts';
import { addDomain, listDomains, removeDomain } from './domains.ts';
import { readEvents } from './event-log.ts';
import { savedViewActions } from './saved-views.ts';
import {
  ByDomain,
  DescribedSetting,
  Domain,
  EventPage,
  EventQuery,
  NewDomain,
  SettingsChanges,
  SettingValues,
} from './schemas.ts';
import { describeSettings, getSettings, updateSettings } from './settings.ts';

const domains = { tag: 'Settings', needs: 'settings.domains' } as const;

export const actions = {
  'settings.get': systemAction({
    summary: 'Get the settings',
    description: 'Returns all settings that the caller may see, with defaults filled in.',
    tag: 'Settings',
    http: 'GET /settings',
    graphql: 'settings',
    needs: 'settings.view',
    output: SettingValues,
    answer: { key: 'settings' },
    run: getSettings,
  }),
  'settings.describe': systemAction({
    summary: 'Describe the settings',
    description: 'Returns what each setting that the caller may see means, which values it can have, and its default.',
    tag: 'Settings',
    http: 'GET /settings/definitions',
    graphql: 'settingDefinitions',
    needs: 'settings.view',
    output: Type.Array(DescribedSetting),
    answer: { key: 'definitions' },
    run: describeSettings,
  }),
  'settings.update': systemAction({
    summary: 'Change settings',
    description: 'Changes all of these settings or, if one of them is invalid, none. `null` restores the default.',
    tag: 'Settings',
    http: 'PATCH /settings',
    graphql: 'updateSettings',
    needs: 'settings.edit',
    input: SettingsChanges,
    output: SettingValues,
    answer: { key: 'settings', message: 'Settings saved.' },
    run: updateSettings,
  }),
  'domains.list': systemAction({
    ...domains,
    summary: 'List the domains',
    http: 'GET /domains',
    graphql: 'domains',
    output: Type.Array(Domain),
    answer: { key: 'domains' },
    run: listDomains,
  }),
  'domains.create': systemAction({
    ...domains,
    summary: 'Add an alias',
    description: 'A tenant can have at most 20.',
    http: 'POST /domains',
    graphql: 'addDomain',
    input: NewDomain,
    output: Domain,
    answer: { key: 'domain', message: 'Domain added.', status: 201 },
    errors: ['tenancy.too_many_domains'],
    run: addDomain,
  }),
  'domains.delete': systemAction({
    ...domains,
    summary: 'Remove an alias',
    description: "The random domain, the tenant's id and the last alias cannot be removed.",
    http: 'DELETE /domains/:domain',
    graphql: 'removeDomain',
    input: ByDomain,
    answer: { message: 'Domain removed.' },
    errors: ['tenancy.domain_not_found', 'tenancy.domain_permanent'],
    run: removeDomain,
  }),
  'audit.list': action({
    summary: 'List the audit log',
    description:
      'Lists every change in the tenant, over any transport, and every call over the bus, newest first. Entries of calls without ' +
      'changes are written within a second.',
    tag: 'Audit',
    http: 'GET /audit',
    graphql: 'auditLog',
    needs: 'audit.view',
    ...auditLog.paged,
  }),
  'audit.export': action({
    summary: 'Export the audit log',
    tag: 'Audit',
    http: 'GET /audit/export',
    needs: 'audit.export',
    ...auditLog.exported,
  }),
  'events.list': systemAction({
    summary: 'List events',
    description:
      'Lists what happened in the tenant, in the order of the commits: each event once, none behind one that was read before, ' +
      'including deletions and merges with their ids. Only events that the caller may see. Follow it with `cursor`, and with `wait` ' +
      'to be answered as soon as something happens. Events are kept for 30 days (`events.retention_days`).',
    tag: 'Events',
    http: 'GET /events',
    graphql: 'events',
    needs: 'activity.view',
    input: EventQuery,
    output: EventPage,
    errors: ['events.cursor_expired', 'events.too_many_waiting'],
    run: readEvents,
  }),
  ...savedViewActions,
};
