import {
  type Issues,
  NamedObject,
  type Static,
  type SystemCtx,
  sql,
  systemAction,
  systemJob,
  Timestamp,
  Type,
} from '@chowk/kit';
import { fail } from './errors.ts';

/** So that nobody fills the disk with copies. */
const maxSandboxes = 3;

const Sandbox = NamedObject('Sandbox', {
  id: Type.String({ description: 'The tenant: requests name it as any other.', examples: ['tea-house-sandbox'] }),
  name: Type.String(),
  status: Type.Enum(['importing', 'active', 'suspended', 'deleting'], {
    description: '`importing`: being filled. A sandbox that could not be filled disappears.',
  }),
  created_at: Timestamp,
});
type Sandbox = Static<typeof Sandbox>;

const TenantId = Type.String({ maxLength: 63, description: 'The tenant of the request, which is no sandbox.' });
const ByTenant = Type.Object({ id: TenantId });
const NewSandbox = Type.Object({
  id: TenantId,
  sandbox_id: Type.Optional(
    Type.String({
      maxLength: 63,
      description:
        'The id of the sandbox. Default: the id of the tenant with `-sandbox`, and a number if that is taken.',
    }),
  ),
});
type NewSandbox = Static<typeof NewSandbox>;
const BySandbox = Type.Object({ id: TenantId, sandbox_id: Type.String({ maxLength: 63 }) });

const common = { tag: 'Sandboxes', needs: 'settings.api_clients' } as const;

export const sandboxActions = {
  'sandboxes.create': systemAction({
    ...common,
    summary: 'Create a sandbox',
    description:
      'A tenant for tests with the settings, products, prices and taxes of this one, and none of its customers and orders. ' +
      'Mails, messages, webhooks and payments of a sandbox reach nobody. The caller owns it. It is filled in the background ' +
      'and available when its status is `active`. A tenant can have three.',
    http: 'POST /tenants/:id/sandbox',
    example: { sandbox_id: 'tea-house-test' },
    input: NewSandbox,
    output: Sandbox,
    answer: { key: 'sandbox', status: 202, message: 'The sandbox is being created.' },
    errors: [
      'onboarding.not_this_tenant',
      'onboarding.in_sandbox',
      'onboarding.too_many_sandboxes',
      'onboarding.sign_in_needed',
    ],
    guard: async (ctx) => mustBePerson(ctx),
    check: checkId,
    run: createSandbox,
  }),
  'sandboxes.list': systemAction({
    ...common,
    summary: 'List the sandboxes of the tenant',
    http: 'GET /tenants/:id/sandboxes',
    input: ByTenant,
    output: Type.Array(Sandbox),
    answer: { key: 'sandboxes' },
    errors: ['onboarding.not_this_tenant'],
    run: async (ctx, { id }) => {
      mustBeThisTenant(ctx, id);
      return listSandboxes(ctx);
    },
  }),
  'sandboxes.delete': systemAction({
    ...common,
    summary: 'Delete a sandbox',
    description: 'With all its data. It cannot be deleted while it is being filled.',
    http: 'DELETE /tenants/:id/sandboxes/:sandbox_id',
    input: BySandbox,
    answer: { message: 'Sandbox deleted.' },
    errors: ['onboarding.not_this_tenant', 'onboarding.sandbox_not_found', 'tenancy.sandbox_busy'],
    run: deleteSandbox,
  }),
};

export const sandboxJobs = {
  'onboarding.fill_sandbox': systemJob({
    data: Type.Object({ id: Type.String(), userId: Type.Integer() }),
    queue: 'build',
    retries: [],
    run: (ctx, { id, userId }) => ctx.system.platform.fillSandbox(id, userId),
  }),
};

/** Sandboxes belong to a person, who can sign in there. */
function mustBePerson({ session: { kind } }: SystemCtx): void {
  if (kind !== 'login' && kind !== 'device') throw fail('onboarding.sign_in_needed');
}

function mustBeThisTenant({ tenant }: SystemCtx, id: string): void {
  if (tenant.id !== id) throw fail('onboarding.not_this_tenant', { tenant: tenant.id });
}

async function checkId(ctx: SystemCtx, { sandbox_id: id }: Partial<NewSandbox>, issues: Issues): Promise<void> {
  const problem = id === undefined ? undefined : await ctx.system.tenants.idProblem(id);
  if (problem) issues.addAll({ sandbox_id: [problem] });
}

async function createSandbox(ctx: SystemCtx, { id: of, sandbox_id }: NewSandbox): Promise<Sandbox> {
  mustBeThisTenant(ctx, of);
  if (ctx.tenant.isSandbox) throw fail('onboarding.in_sandbox');
  const id = sandbox_id ?? (await findFreeId(ctx));
  return ctx.centralTx(async (tx) => {
    // Of two requests at once, the second sees the sandbox of the first.
    await tx.run(sql`SELECT FROM tenants WHERE id = ${of} FOR NO KEY UPDATE`);
    const central = ctx.withCentral(tx);
    if ((await listSandboxes(central)).length >= maxSandboxes) throw fail('onboarding.too_many_sandboxes');
    await ctx.system.platform.reserveSandbox(tx, { id, of });
    await ctx.system.addJob('onboarding.fill_sandbox', { id, userId: ctx.user.id }, { tx });
    return findSandbox(central, id);
  });
}

async function findFreeId(ctx: SystemCtx): Promise<string> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '-sandbox' : `-sandbox-${number}`;
    const id = ctx.tenant.id.slice(0, 63 - suffix.length) + suffix;
    if (!(await ctx.system.tenants.idProblem(id))) return id;
    if (number > 100) return ctx.system.tenants.steps.newId();
  }
}

const columns = sql`id, name, status, created_at`;

function listSandboxes({ central, tenant }: SystemCtx): Promise<Sandbox[]> {
  return central.rows<Sandbox>(
    sql`SELECT ${columns} FROM tenants WHERE sandbox_of = ${tenant.id} ORDER BY created_at, id`,
  );
}

async function findSandbox(ctx: SystemCtx, id: string): Promise<Sandbox> {
  const sandbox = (await listSandboxes(ctx)).find((one) => one.id === id);
  if (!sandbox) throw fail('onboarding.sandbox_not_found');
  return sandbox;
}

async function deleteSandbox(ctx: SystemCtx, { id, sandbox_id }: Static<typeof BySandbox>): Promise<void> {
  mustBeThisTenant(ctx, id);
  await findSandbox(ctx, sandbox_id);
  await ctx.system.platform.deleteSandbox(sandbox_id);
}
