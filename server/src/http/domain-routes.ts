import { type Db, Message, type Route, route, Timestamp, Type } from '@chowk/kit';
import type { Directory } from '../tenancy/directory.ts';
import { addAlias, listDomains, removeAlias } from '../tenancy/domains.ts';

const Domain = Type.Object({ domain: Type.String(), kind: Type.String(), created_at: Timestamp });

export const domainRoutes = (central: Db, directory: Directory): Route[] => [
  route({
    method: 'GET',
    path: '/domains',
    tag: 'Settings',
    summary: 'The domains that lead to the tenant.',
    needs: 'settings.domains',
    answer: Type.Object({ domains: Type.Array(Domain) }),
    run: async (ctx) => ({ domains: await listDomains(central, ctx.tenant.id) }),
  }),
  route({
    method: 'POST',
    path: '/domains',
    tag: 'Settings',
    summary: 'Adds an alias: one label below the base domain.',
    needs: 'settings.domains',
    status: 201,
    body: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 63 }) }),
    answer: Type.Object({ message: Type.String(), domain: Domain }),
    run: async (ctx, { body }) => {
      const domain = await addAlias(central, ctx.tenant.id, body.domain.toLowerCase());
      directory.domainChanged(domain.domain);
      return { message: 'The domain was added.', domain };
    },
  }),
  route({
    method: 'DELETE',
    path: '/domains/:domain',
    tag: 'Settings',
    summary: "Removes an alias; the random domain, the tenant's id and the last alias stay.",
    needs: 'settings.domains',
    params: Type.Object({ domain: Type.String({ maxLength: 63 }) }),
    answer: Message,
    run: async (ctx, { params }) => {
      const domain = params.domain.toLowerCase();
      await removeAlias(central, ctx.tenant.id, domain);
      directory.domainChanged(domain);
      return { message: 'The domain was removed.' };
    },
  }),
];
