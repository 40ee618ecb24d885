import type { Permission } from '@chowk/kit';

/** The platform's permissions by category; `*` marks the sensitive ones. */
const catalogue: Readonly<Record<string, string>> = {
  customers: 'view create edit delete* export merge* view_sensitive*',
  orders: 'view create edit cancel refund* delete* export',
  products: 'view create edit delete* import export',
  conversations: 'view reply assign close delete* export',
  notifications: 'view send broadcast* rules.manage templates.manage',
  team: 'view invite edit remove* roles.view roles.assign* roles.manage*',
  settings: 'view edit domains* security* billing* api_clients*',
  modules: 'view install* configure enable uninstall*',
  graphql: 'playground.access schema.view persisted.view persisted.manage settings.manage',
  reseller: 'applications.view applications.review* referral_codes.manage catalogue.manage tenants.view',
  audit: 'audit.view audit.export activity.view activity.export reports.view',
  platform: 'releases.view releases.manage* rings.view rings.manage*',
};

export const permissions: readonly Permission[] = Object.entries(catalogue).flatMap(([category, words]) =>
  words.split(' ').map((word) => {
    const name = word.replace('*', '');
    // The category `audit` holds three subjects, which its names begin with.
    return { name: category === 'audit' ? name : `${category}.${name}`, category, is_sensitive: word.endsWith('*') };
  }),
);

const names = permissions.map(({ name }) => name);
const trade = ['customers', 'orders', 'products', 'conversations'];

/** The roles every tenant has, and what each may do. */
export const roles: Readonly<
  Record<string, { readonly description: string; readonly permissions: readonly string[] }>
> = {
  Owner: { description: 'Everything.', permissions: names },
  Admin: {
    description: 'Everything but billing and rings.',
    permissions: names.filter((name) => !['settings.billing', 'platform.rings.manage'].includes(name)),
  },
  Manager: {
    description: 'Runs the trade and sees the team.',
    permissions: names.filter(
      (name) =>
        trade.some((subject) => ['view', 'create', 'edit', 'export'].some((verb) => name === `${subject}.${verb}`)) ||
        name.startsWith('notifications.') ||
        ['team.view', 'reports.view', 'activity.view'].includes(name),
    ),
  },
  Agent: {
    description: 'Serves customers.',
    permissions: [
      ...['customers', 'orders'].flatMap((subject) => ['view', 'create', 'edit'].map((verb) => `${subject}.${verb}`)),
      'products.view',
      ...['view', 'reply', 'assign', 'close'].map((verb) => `conversations.${verb}`),
      'notifications.view',
    ],
  },
  Viewer: { description: 'Looks on.', permissions: names.filter((name) => name.endsWith('.view')) },
};

export const ownerRole = 'Owner';

/** Permissions that act only in a tenant that is a reseller or the owner of the platform. */
export function actsIn(permission: string, tenantRole: string): boolean {
  return tenantRole !== 'merchant' || !/^(reseller|platform)\./.test(permission);
}
