import { systemAction, Type, Uuid } from '@chowk/kit';
import { listJobs, listServers, retryJob, retryJobs } from './platform.ts';
import {
  ByTenant,
  Clone,
  DatabaseServer,
  Figures,
  Jobs,
  Move,
  PlatformTenant,
  Promotion,
  PromotionRequest,
  Suspension,
} from './platform-schemas.ts';
import {
  exportTenant,
  getTenant,
  platformTenantList,
  resumeTenant,
  startClone,
  startMove,
  suspendTenant,
} from './platform-tenants.ts';
import { promoteModule, reloadRing } from './promotion.ts';
import { mustBePlatformOwner } from './rings.ts';
import { ByName } from './schemas.ts';

const only = 'rings.platform_only';
const view = { guard: mustBePlatformOwner, needs: 'platform.rings.view', graphql: false } as const;
const manage = { guard: mustBePlatformOwner, needs: 'platform.rings.manage', graphql: false } as const;
const tenants = { tag: 'Platform tenants' } as const;
const operations = { tag: 'Operations' } as const;
const onTenant = [only, 'rings.tenant_not_found', 'rings.tenant_state'];

export const platformActions = {
  'platform.listTenants': systemAction({
    ...view,
    ...tenants,
    summary: 'List all tenants',
    description: 'With their ring and database server. Only for the owner of the platform.',
    http: 'GET /platform/tenants',
    errors: [only],
    ...platformTenantList.paged,
  }),
  'platform.getTenant': systemAction({
    ...view,
    ...tenants,
    summary: 'Get a tenant',
    description: 'Only for the owner of the platform.',
    http: 'GET /platform/tenants/:id',
    input: ByTenant,
    output: PlatformTenant,
    answer: { key: 'tenant' },
    errors: [only, 'rings.tenant_not_found'],
    run: getTenant,
  }),
  'platform.suspendTenant': systemAction({
    ...manage,
    ...tenants,
    summary: 'Suspend a tenant',
    description:
      'Refuses all its requests until it is resumed. Its jobs wait and its data stays. Only for the owner of the platform.',
    http: 'POST /platform/tenants/:id/suspend',
    input: Suspension,
    output: PlatformTenant,
    answer: { key: 'tenant', message: 'Tenant suspended.' },
    errors: [...onTenant, 'rings.own_tenant'],
    run: suspendTenant,
  }),
  'platform.resumeTenant': systemAction({
    ...manage,
    ...tenants,
    summary: 'Resume a suspended tenant',
    description: 'Jobs that waited run within half a minute. Only for the owner of the platform.',
    http: 'POST /platform/tenants/:id/resume',
    input: ByTenant,
    output: PlatformTenant,
    answer: { key: 'tenant', message: 'Tenant resumed.' },
    errors: onTenant,
    run: resumeTenant,
  }),
  'platform.moveTenant': systemAction({
    ...manage,
    ...tenants,
    summary: 'Move a tenant to another database server',
    description:
      'Starts in the background. The tenant stays in use and is paused for seconds at the end. `move` of the tenant says how ' +
      'far it is, and the history how it ended. Only for the owner of the platform.',
    http: 'POST /platform/tenants/:id/move',
    input: Move,
    answer: { status: 202, message: 'The tenant is being moved.' },
    errors: onTenant,
    run: startMove,
  }),
  'platform.cloneTenant': systemAction({
    ...manage,
    ...tenants,
    summary: 'Copy a tenant',
    description:
      'Starts in the background. The copy has the status `importing` until it is complete, and sends nothing until its ' +
      'webhooks and providers are set up. Only for the owner of the platform.',
    http: 'POST /platform/tenants/:id/clone',
    input: Clone,
    answer: { status: 202, message: 'The tenant is being copied.' },
    errors: [...onTenant, 'rings.other_ring'],
    run: startClone,
  }),
  'platform.exportTenant': systemAction({
    ...manage,
    ...tenants,
    summary: 'Export a tenant',
    description:
      'A ZIP file with its settings, members, data and files, for `chowkd tenant:import`. It has personal data. Only for the ' +
      'owner of the platform.',
    http: 'GET /platform/tenants/:id/export',
    audited: true,
    input: ByTenant,
    file: ['application/zip'],
    errors: [...onTenant, 'rings.other_ring'],
    run: exportTenant,
  }),
  'rings.promote': systemAction({
    ...manage,
    tag: 'Rings',
    summary: 'Promote a module to a ring',
    description:
      'Writes another version of a module into the lock file of the ring, unless it would break something there. The ring uses ' +
      'it after `POST /rings/{name}/reload`. With `dry_run` only the difference is returned. Only for the owner of the platform.',
    http: 'POST /rings/:name/promote',
    input: PromotionRequest,
    output: Promotion,
    answer: { key: 'promotion' },
    errors: [only, 'rings.not_found', 'rings.promotion_refused'],
    run: promoteModule,
  }),
  'rings.reload': systemAction({
    ...manage,
    tag: 'Rings',
    summary: 'Reload a ring',
    description:
      'Asks the fronts to replace the process of the ring, which then reads its lock file. Requests in flight finish. Only for ' +
      'the owner of the platform.',
    http: 'POST /rings/:name/reload',
    input: ByName,
    answer: { status: 202, message: 'The ring is being reloaded.' },
    errors: [only, 'rings.not_found'],
    run: reloadRing,
  }),
  'platform.listJobs': systemAction({
    ...view,
    ...operations,
    summary: 'List background jobs',
    description:
      'Those of all rings that have failed permanently, that run and that wait. Only for the owner of the platform.',
    http: 'GET /platform/jobs',
    input: Type.Object({ failed: Type.Optional(Type.Boolean({ description: 'Only those that have failed.' })) }),
    output: Jobs,
    errors: [only],
    run: listJobs,
  }),
  'platform.retryJob': systemAction({
    ...manage,
    ...operations,
    summary: 'Retry a failed job',
    description: 'Only for the owner of the platform.',
    http: 'POST /platform/jobs/:id/retry',
    input: Type.Object({ id: Uuid }),
    answer: { message: 'The job is tried again.' },
    errors: [only, 'rings.job_not_found'],
    run: retryJob,
  }),
  'platform.retryJobs': systemAction({
    ...manage,
    ...operations,
    summary: 'Retry all failed jobs',
    description: 'Only for the owner of the platform.',
    http: 'POST /platform/jobs/retry',
    output: Type.Object({ retried: Type.Integer() }),
    answer: { message: 'The failed jobs are tried again.' },
    errors: [only],
    run: retryJobs,
  }),
  'platform.listServers': systemAction({
    ...view,
    ...operations,
    summary: 'List the database servers',
    description: 'With the number of their tenants. Only for the owner of the platform.',
    http: 'GET /platform/servers',
    output: Type.Array(DatabaseServer),
    answer: { key: 'servers' },
    errors: [only],
    run: listServers,
  }),
  'platform.figures': systemAction({
    ...view,
    ...operations,
    summary: 'Get the latest figures',
    description: 'Figures of the answering process for the last 30 minutes. Only for the platform owner.',
    http: 'GET /platform/figures',
    output: Figures,
    errors: [only],
    run: async ({ system }) => {
      const { seconds, samples } = system.platform.figures();
      return { seconds, samples: [...samples] };
    },
  }),
};
