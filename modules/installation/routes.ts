import { createHash, timingSafeEqual } from 'node:crypto';
import { type Route, type SystemCtx, systemRoute, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import { mustNotBeInstalled } from './installed.ts';
import { createOwner } from './owner.ts';
import { checkRequirementsOnce } from './requirements.ts';
import { DatabaseSetUp, OwnerCreated, OwnerForm, Requirements, Seeded, Status } from './schemas.ts';
import { seedData } from './seed-data.ts';
import { setUpDatabase } from './set-up-database.ts';
import { mustBeReached, readStatus, type StepName } from './steps.ts';

const installed = {
  description: 'The platform is installed.',
  body: Type.Object({ redirect: Type.Literal('/login') }),
};
const forAnyone = { public: true, tenant: 'none', tag: 'Installation', also: { 403: installed } } as const;
const aStep = {
  ...forAnyone,
  headers: Type.Object({
    'X-Install-Token': Type.Optional(
      Type.String({ description: 'Needed where the operator has set `INSTALL_TOKEN`.' }),
    ),
  }),
  also: {
    403: { ...installed, description: 'The platform is installed (then with `redirect`), or the token is not right.' },
    409: {
      description: 'An earlier step comes first.',
      body: Type.Object({ current_step: Type.Integer({ minimum: 1, maximum: 4 }) }),
    },
  },
} as const;

/** Who may take a step: the holder of the token, if the operator has set one, when its turn has come. */
function whenReached(step: StepName) {
  return async (ctx: SystemCtx, { headers }: { headers: Readonly<Record<string, unknown>> }): Promise<void> => {
    await mustNotBeInstalled(ctx);
    const { installToken } = ctx.platform.options;
    if (installToken !== undefined && !isSame(headers['x-install-token'], installToken)) {
      throw fail('installation.token_required');
    }
    await mustBeReached(ctx, step);
  };
}

/** Takes as long whatever the difference. */
function isSame(given: unknown, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(wanted));
}

export const routes: Route[] = [
  systemRoute({
    ...forAnyone,
    method: 'GET',
    path: '/install/status',
    summary: 'How far the installation is. Once it is complete, every route of it answers 403.',
    answer: Status,
    admit: mustNotBeInstalled,
    run: readStatus,
  }),
  systemRoute({
    ...forAnyone,
    method: 'GET',
    path: '/install/check-requirements',
    summary: 'Step 1: checks the machine, the database and the folders.',
    answer: Requirements,
    admit: mustNotBeInstalled,
    run: checkRequirementsOnce,
  }),
  systemRoute({
    ...aStep,
    method: 'POST',
    path: '/install/setup-database',
    summary: 'Step 2: migrations, the keys that sign access tokens, the client of personal access tokens.',
    answer: DatabaseSetUp,
    admit: whenReached('database'),
    run: setUpDatabase,
  }),
  systemRoute({
    ...aStep,
    method: 'POST',
    path: '/install/seed-data',
    summary: 'Step 3: roles, permissions, what modules say of themselves, settings.',
    answer: Seeded,
    admit: whenReached('seed'),
    run: seedData,
  }),
  systemRoute({
    ...aStep,
    method: 'POST',
    path: '/install/owner',
    summary: 'Step 4: the first organization and its owner. With INSTALL_TOKEN set, each POST needs X-Install-Token.',
    status: 201,
    body: OwnerForm,
    answer: OwnerCreated,
    admit: whenReached('owner'),
    run: (ctx, { body }) => createOwner(ctx, body),
  }),
];
