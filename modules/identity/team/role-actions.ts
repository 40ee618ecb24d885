import { systemAction, Type } from '@chowk/kit';
import { listPermissions } from '../permissions.ts';
import { createRole, deleteRole, explainRole, getRole, listRoles, updateRole } from './roles.ts';
import { ById, NewRole, Permission, Role, RoleChanges } from './team-schemas.ts';

const tag = 'Team';
const ownRole = ['identity.role_not_found', 'identity.role_is_system', 'identity.role_beyond_caller'];

export const roleActions = {
  'permissions.list': systemAction({
    summary: 'List the permissions',
    description: 'Every permission there is, by category.',
    tag,
    http: 'GET /permissions',
    needs: 'team.roles.view',
    output: Type.Array(Permission),
    answer: { key: 'permissions' },
    run: listPermissions,
  }),
  'roles.list': systemAction({
    summary: 'List roles',
    description: "The roles that every tenant has, then the tenant's own.",
    tag,
    http: 'GET /roles',
    needs: 'team.roles.view',
    output: Type.Array(Role),
    answer: { key: 'roles' },
    run: listRoles,
  }),
  'roles.get': systemAction({
    summary: 'Get a role',
    tag,
    http: 'GET /roles/:id',
    needs: 'team.roles.view',
    input: ById,
    output: Role,
    answer: { key: 'role' },
    errors: ['identity.role_not_found'],
    run: getRole,
  }),
  'roles.create': systemAction({
    summary: 'Create a role',
    description: 'With permissions that the caller holds.',
    tag,
    http: 'POST /roles',
    needs: 'team.roles.manage',
    input: NewRole,
    output: Role,
    answer: { key: 'role', message: 'Role created.', status: 201 },
    errors: ['identity.permission_beyond_caller', 'identity.too_many_roles'],
    run: createRole,
    explain: explainRole,
  }),
  'roles.update': systemAction({
    summary: 'Update a role',
    description: 'The role may do no more than the caller. Changes hold at once for all who have it.',
    tag,
    http: 'PATCH /roles/:id',
    needs: 'team.roles.manage',
    input: RoleChanges,
    output: Role,
    answer: { key: 'role', message: 'Role saved.' },
    errors: [...ownRole, 'identity.permission_beyond_caller'],
    run: updateRole,
    explain: explainRole,
  }),
  'roles.delete': systemAction({
    summary: 'Delete a role',
    description: 'Only a role that no member has.',
    tag,
    http: 'DELETE /roles/:id',
    needs: 'team.roles.manage',
    input: ById,
    answer: { message: 'Role deleted.' },
    errors: [...ownRole, 'identity.role_in_use', 'http.precondition_failed'],
    run: deleteRole,
  }),
};
