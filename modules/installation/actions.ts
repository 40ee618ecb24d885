import { systemAction, Type } from '@chowk/kit';
import { requireStep } from './access.ts';
import { fillWithDemoData } from './demo-data.ts';
import { checkOwner, createOwner } from './owner.ts';
import { checkRequirementsOnce } from './requirements.ts';
import {
  DatabaseSetUp,
  DataSeeded,
  DemoData,
  NewDemoData,
  NewOwner,
  OwnerCreated,
  Requirements,
  Status,
} from './schemas.ts';
import { seedData } from './seed-data.ts';
import { setUpDatabase } from './set-up-database.ts';
import { readStatus } from './steps.ts';

const installed = {
  description: 'The platform is installed (with `redirect`), or another web page has sent the request.',
  body: Type.Object({ redirect: Type.Literal('/login') }),
};
const open = {
  public: true,
  tenant: 'none',
  graphql: false,
  responses: { 403: installed },
  errors: ['installation.installed', 'installation.foreign'],
} as const;
const step = {
  ...open,
  headers: Type.Object({
    'X-Install-Token': Type.Optional(
      Type.String({ description: 'Required in production, from other machines, and if `INSTALL_TOKEN` is set.' }),
    ),
  }),
  responses: {
    403: { ...installed, description: `${installed.description.slice(0, -1)}, or the token is wrong.` },
    409: {
      description: 'An earlier step has not been completed.',
      body: Type.Object({ current_step: Type.Integer({ minimum: 1, maximum: 4 }) }),
    },
  },
  errors: [...open.errors, 'installation.token_required', 'installation.out_of_order'],
} as const;

export const actions = {
  'install.status': systemAction({
    ...open,
    summary: 'Get the state of the installation',
    description: 'Once the platform is installed, every action of the installation answers 403.',
    http: 'GET /install/status',
    output: Status,
    run: readStatus,
  }),
  'install.checkRequirements': systemAction({
    ...open,
    summary: 'Step 1: check the requirements',
    description: 'Tests the machine, the database and the folders.',
    http: 'GET /install/check-requirements',
    output: Requirements,
    run: checkRequirementsOnce,
  }),
  'install.setupDatabase': systemAction({
    ...step,
    summary: 'Step 2: set up the database',
    description: 'Applies migrations, and creates the signing keys and the client of personal access tokens.',
    http: 'POST /install/setup-database',
    output: DatabaseSetUp,
    answer: { message: 'Database ready.' },
    guard: (ctx) => requireStep(ctx, 'database'),
    run: setUpDatabase,
  }),
  'install.seedData': systemAction({
    ...step,
    summary: 'Step 3: seed roles, permissions, modules and settings',
    http: 'POST /install/seed-data',
    output: DataSeeded,
    answer: { message: 'Data seeded.' },
    guard: (ctx) => requireStep(ctx, 'seed'),
    run: seedData,
  }),
  'install.createOwner': systemAction({
    ...step,
    summary: 'Step 4: create the first organization and its owner',
    description:
      'The slug is the id and the address of the organization. It cannot be changed. Country, currency and time zone ' +
      "become settings of the organization; without them, the server's time zone and the browser's languages decide.",
    http: 'POST /install/owner',
    input: NewOwner,
    output: OwnerCreated,
    answer: { message: 'Platform installed. Sign in.', status: 201 },
    guard: (ctx) => requireStep(ctx, 'owner'),
    check: checkOwner,
    run: createOwner,
  }),
  'demo.fill': systemAction({
    summary: 'Fill an empty organization with demo data',
    description:
      'Creates customers, orders, products, conversations and notifications. Refused once there are customers, ' +
      'orders, products or conversations.',
    http: 'POST /demo-data',
    graphql: false,
    needs: 'settings.edit',
    input: NewDemoData,
    output: DemoData,
    answer: { message: 'The demo data is ready.', status: 201 },
    errors: ['installation.not_empty'],
    run: fillWithDemoData,
  }),
};
