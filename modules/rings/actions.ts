import { systemAction, Type } from '@chowk/kit';
import { disableModule, enableModule, listModules } from './modules.ts';
import { assignRing, getRing, listRings, mustBePlatformOwner, operationList } from './rings.ts';
import { Assignment, ByAlias, ByName, Ring, TenantModule } from './schemas.ts';

const modules = { tag: 'Modules' } as const;
const rings = { tag: 'Rings', guard: mustBePlatformOwner } as const;

export const actions = {
  'modules.list': systemAction({
    ...modules,
    summary: 'List the modules',
    description: "The modules of the tenant's ring, and what the tenant would not have without each of them.",
    http: 'GET /modules',
    graphql: 'modules',
    needs: 'modules.view',
    output: Type.Array(TenantModule),
    answer: { key: 'modules' },
    run: listModules,
  }),
  'modules.enable': systemAction({
    ...modules,
    summary: 'Enable a module',
    description:
      'Applies to the next request. A module that the tenant never had also needs the permission `modules.install`.',
    http: 'POST /modules/:alias/enable',
    graphql: 'enableModule',
    needs: 'modules.enable',
    input: ByAlias,
    output: TenantModule,
    answer: { key: 'module', message: 'Module enabled.' },
    errors: ['rings.module_not_found', 'rings.module_requires', 'rings.module_not_migrated'],
    run: enableModule,
  }),
  'modules.disable': systemAction({
    ...modules,
    summary: 'Disable a module',
    description:
      'Applies to the next request. Its actions, GraphQL fields, listeners and jobs end; its data stays until it is enabled again.',
    http: 'POST /modules/:alias/disable',
    graphql: 'disableModule',
    needs: 'modules.enable',
    input: ByAlias,
    output: TenantModule,
    answer: { key: 'module', message: 'Module disabled.' },
    errors: ['rings.module_not_found', 'rings.module_is_system', 'rings.module_in_use'],
    run: disableModule,
  }),
  'rings.list': systemAction({
    ...rings,
    summary: 'List the rings',
    description: 'The most conservative first. Only for the owner of the platform.',
    http: 'GET /rings',
    needs: 'platform.rings.view',
    output: Type.Array(Ring),
    answer: { key: 'rings' },
    errors: ['rings.platform_only'],
    run: listRings,
  }),
  'rings.get': systemAction({
    ...rings,
    summary: 'Get a ring',
    description: 'Only for the owner of the platform.',
    http: 'GET /rings/:name',
    needs: 'platform.rings.view',
    input: ByName,
    output: Ring,
    answer: { key: 'ring' },
    errors: ['rings.platform_only', 'rings.not_found'],
    run: getRing,
  }),
  'rings.assign': systemAction({
    ...rings,
    summary: 'Assign a tenant to a ring',
    description:
      "Applies to the tenant's next request: requests in flight finish, and sockets reconnect. Only for the owner of the platform.",
    http: 'POST /rings/:name/assign',
    needs: 'platform.rings.manage',
    input: Assignment,
    output: Ring,
    answer: { key: 'ring', message: 'Tenant assigned.' },
    errors: [
      'rings.platform_only',
      'rings.not_found',
      'rings.not_active',
      'rings.assignment_refused',
      'tenancy.unknown',
    ],
    run: assignRing,
  }),
  'rings.operations': systemAction({
    ...rings,
    summary: 'List the history of rings and modules',
    description: 'What operators did, newest first. Only for the owner of the platform.',
    http: 'GET /ring-operations',
    needs: 'platform.rings.view',
    errors: ['rings.platform_only'],
    ...operationList.paged,
  }),
};
