/** The roles that every tenant has: which permissions each of them holds, by name. */
export interface SystemRole {
  readonly name: string;
  readonly description: string;
  holds(permission: string): boolean;
}

const adminExclusions = new Set(['settings.billing', 'platform.rings.manage']);

const managerPermissions = new Set([
  ...combine(['customers', 'orders', 'products'], ['view', 'create', 'edit', 'export']),
  ...combine(['conversations'], ['view', 'export']),
  'team.view',
  'reports.view',
  'activity.view',
]);

const agentPermissions = new Set([
  ...combine(['customers', 'orders'], ['view', 'create', 'edit']),
  'products.view',
  ...combine(['conversations'], ['view', 'reply', 'assign', 'close']),
  'notifications.view',
]);

/** Rules, not lists, so that a permission of a module that is added later is granted to the right roles. */
export const systemRoles: readonly SystemRole[] = [
  { name: 'Owner', description: 'Has every permission.', holds: () => true },
  {
    name: 'Admin',
    description: 'Has every permission except billing and managing rings.',
    holds: (permission) => !adminExclusions.has(permission),
  },
  {
    name: 'Manager',
    description: 'Manages customers, orders, products and notifications, and views conversations and the team.',
    holds: (permission) => managerPermissions.has(permission) || permission.startsWith('notifications.'),
  },
  {
    name: 'Agent',
    description: 'Works with customers, orders and conversations.',
    holds: (permission) => agentPermissions.has(permission),
  },
  { name: 'Viewer', description: 'Views everything and changes nothing.', holds: (name) => name.endsWith('.view') },
];

function combine(subjects: readonly string[], verbs: readonly string[]): string[] {
  return subjects.flatMap((subject) => verbs.map((verb) => `${subject}.${verb}`));
}
