import type { LinkProps } from '@tanstack/react-router';

/* The tabs of pages of the navigation; the first is the page itself. */

export interface Tab {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  /** Without one, every member may open it. */
  readonly permission: string | undefined;
}

export const teamTabs = [
  { to: '/team', label: 'Members', permission: 'team.view' },
  { to: '/team/invitations', label: 'Invitations', permission: 'team.view' },
  { to: '/team/roles', label: 'Roles', permission: 'team.roles.view' },
] as const;

export const activityTabs = [
  { to: '/activity', label: 'Changes', permission: 'audit.view' },
  { to: '/activity/accounts', label: 'Sign-ins and accounts', permission: 'activity.view' },
] as const;

export const developerTabs = [
  { to: '/developers', label: 'API clients', permission: 'settings.api_clients' },
  { to: '/developers/apps', label: 'Apps', permission: 'settings.api_clients' },
  { to: '/developers/webhooks', label: 'Webhooks', permission: 'settings.api_clients' },
  { to: '/developers/sandboxes', label: 'Sandboxes', permission: 'settings.api_clients' },
  { to: '/developers/graphql', label: 'GraphQL', permission: 'graphql.schema.view' },
  { to: '/developers/tools', label: 'Reference and tools', permission: undefined },
] as const;

export const platformTabs = [
  { to: '/platform', label: 'Tenants', permission: 'platform.rings.view' },
  { to: '/platform/rings', label: 'Rings', permission: 'platform.rings.view' },
  { to: '/platform/modules', label: 'Modules', permission: 'platform.rings.view' },
  { to: '/platform/jobs', label: 'Jobs', permission: 'platform.rings.view' },
  { to: '/platform/health', label: 'Health', permission: 'platform.rings.view' },
  { to: '/platform/releases', label: 'Releases', permission: 'platform.releases.view' },
] as const;

export const tenantTabs = [
  { to: '/tenants', label: 'Tenants', permission: 'reseller.tenants.view' },
  { to: '/tenants/products', label: 'Mandatory products', permission: 'reseller.catalogue.manage' },
] as const;
