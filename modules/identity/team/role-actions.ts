import { systemAction, Type } from '@chowk/kit';
import { listPermissions } from '../accounts/permissions.ts';
import { checkNewRole, checkRoleChanges, createRole, deleteRole, listRoles, showRole, updateRole } from './roles.ts';
import { ById, NewRole, Permission, Role, RoleChanges } from './team-schemas.ts';

const view = { tag: 'Team', needs: 'team.roles.view' } as const;
const manage = { tag: 'Team', needs: 'team.roles.manage' } as const;
const ownRole = ['identity.role_not_found', 'identity.role_is_system', 'identity.role_beyond_caller'];

export const roleActions = {
  'permissions.list': systemAction({
    ...view,
    summary: 'List permissions',
    description: 'All permissions of all modules, by category.',
    http: 'GET /permissions',
    graphql: 'permissions',
    output: Type.Array(Permission),
    answer: { key: 'permissions' },
    run: listPermissions,
  }),
  'roles.list': systemAction({
    ...view,
    summary: 'List roles',
    description: "The roles that every tenant has, then the tenant's own.",
    http: 'GET /roles',
    graphql: 'roles',
    output: Type.Array(Role),
    answer: { key: 'roles' },
    run: listRoles,
  }),
  'roles.get': systemAction({
    ...view,
    summary: 'Get a role',
    http: 'GET /roles/:id',
    graphql: 'role',
    input: ById,
    output: Role,
    answer: { key: 'role' },
    errors: ['identity.role_not_found'],
    run: showRole,
  }),
  'roles.create': systemAction({
    ...manage,
    summary: 'Create a role',
    description: 'The caller must hold every permission of the role.',
    http: 'POST /roles',
    graphql: 'createRole',
    input: NewRole,
    output: Role,
    answer: { key: 'role', message: 'Role created.', status: 201 },
    errors: ['identity.permission_beyond_caller', 'identity.too_many_roles'],
    check: checkNewRole,
    run: createRole,
  }),
  'roles.update': systemAction({
    ...manage,
    summary: 'Update a role',
    description:
      'The caller must hold every permission of the role. Changes apply to all members with the role at once.',
    http: 'PATCH /roles/:id',
    graphql: 'updateRole',
    input: RoleChanges,
    output: Role,
    answer: { key: 'role', message: 'Role saved.' },
    errors: [...ownRole, 'identity.permission_beyond_caller'],
    check: checkRoleChanges,
    run: updateRole,
  }),
  'roles.delete': systemAction({
    ...manage,
    summary: 'Delete a role',
    description: 'Only if no member has it.',
    http: 'DELETE /roles/:id',
    graphql: 'deleteRole',
    input: ById,
    answer: { message: 'Role deleted.' },
    errors: [...ownRole, 'identity.role_in_use', 'http.precondition_failed'],
    run: deleteRole,
  }),
};
