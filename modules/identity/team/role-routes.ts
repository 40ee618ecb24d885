import { Message, type Route, systemRoute, Type } from '@chowk/kit';
import {
  createRole,
  deleteRole,
  getRole,
  listPermissions,
  listRoles,
  NewRole,
  Role,
  RoleChanges,
  updateRole,
} from './roles.ts';
import { ById } from './team-schemas.ts';

const tag = 'Team';
const RoleMessage = Type.Object({ ...Message.properties, role: Role });

const Permission = Type.Object({
  name: Type.String(),
  category: Type.String(),
  is_sensitive: Type.Boolean(),
});

export const roleRoutes: Route[] = [
  systemRoute({
    method: 'GET',
    path: '/permissions',
    tag,
    summary: 'Every permission there is, by category.',
    needs: 'team.roles.view',
    answer: Type.Object({ permissions: Type.Array(Permission) }),
    run: async (ctx) => ({ permissions: await listPermissions(ctx) }),
  }),
  systemRoute({
    method: 'GET',
    path: '/roles',
    tag,
    summary: "The roles of every tenant and this tenant's own.",
    needs: 'team.roles.view',
    answer: Type.Object({ roles: Type.Array(Role) }),
    run: async (ctx) => ({ roles: await listRoles(ctx) }),
  }),
  systemRoute({
    method: 'GET',
    path: '/roles/:id',
    tag,
    summary: 'One role.',
    needs: 'team.roles.view',
    params: ById,
    answer: Type.Object({ role: Role }),
    run: async (ctx, { params }) => ({ role: await getRole(ctx, params) }),
  }),
  systemRoute({
    method: 'POST',
    path: '/roles',
    tag,
    summary: 'Makes a role out of permissions that the caller holds.',
    needs: 'team.roles.manage',
    status: 201,
    body: NewRole,
    answer: RoleMessage,
    run: async (ctx, { body }) => ({ message: 'The role was created.', role: await createRole(ctx, body) }),
  }),
  systemRoute({
    method: 'PATCH',
    path: '/roles/:id',
    tag,
    summary: 'Changes a role that may do no more than the caller, in effect at once for all who have it.',
    needs: 'team.roles.manage',
    params: ById,
    body: RoleChanges,
    answer: RoleMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The role was saved.',
      role: await updateRole(ctx, params, body),
    }),
  }),
  systemRoute({
    method: 'DELETE',
    path: '/roles/:id',
    tag,
    summary: 'Deletes a role that no member has.',
    needs: 'team.roles.manage',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await deleteRole(ctx, params);
      return { message: 'The role was deleted.' };
    },
  }),
];
