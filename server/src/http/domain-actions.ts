import { type Actions, action, type Db, Line, named, Timestamp, Type } from '@chowk/kit';
import type { Directory } from '../tenancy/directory.ts';
import { addAlias, listDomains, removeAlias } from '../tenancy/domains.ts';

const Domain = named(
  'Domain',
  Type.Object({ domain: Type.String(), kind: Type.Enum(['random', 'alias']), created_at: Timestamp }),
);
const Label = Line(63, { description: 'One label below the base domain.' });
const common = { tag: 'Settings', needs: 'settings.domains' } as const;

export const domainActions = (central: Db, directory: Directory): Actions => ({
  'domains.list': action({
    ...common,
    summary: 'List the domains',
    http: 'GET /domains',
    output: Type.Array(Domain),
    answer: { key: 'domains' },
    run: (ctx) => listDomains(central, ctx.tenant.id),
  }),
  'domains.create': action({
    ...common,
    summary: 'Add an alias',
    http: 'POST /domains',
    input: named('NewDomain', Type.Object({ domain: Label })),
    output: Domain,
    answer: { key: 'domain', message: 'Domain added.', status: 201 },
    run: async (ctx, { domain }) => {
      const added = await addAlias(central, ctx.tenant.id, domain.toLowerCase());
      directory.domainChanged(added.domain);
      return added;
    },
  }),
  'domains.delete': action({
    ...common,
    summary: 'Remove an alias',
    description: "The random domain, the tenant's id and the last alias cannot be removed.",
    http: 'DELETE /domains/:domain',
    input: Type.Object({ domain: Label }),
    answer: { message: 'Domain removed.' },
    errors: ['tenancy.domain_not_found', 'tenancy.domain_permanent'],
    run: async (ctx, input) => {
      const domain = input.domain.toLowerCase();
      await removeAlias(central, ctx.tenant.id, domain);
      directory.domainChanged(domain);
      ctx.audit({ domain: [domain, null] });
    },
  }),
});
