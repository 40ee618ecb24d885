import {
  Email,
  Failure,
  type Issues,
  invalid,
  Line,
  NamedObject,
  NewPassword,
  type Static,
  type SystemCtx,
  slugify,
  systemAction,
  Type,
} from '@chowk/kit';
import { limitApplications } from './apply.ts';
import { fail } from './errors.ts';
import { checkPassword } from './password.ts';

const Signup = NamedObject('Signup', {
  domain: Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: '^[^\\s!-,./:-@\\[-^`{-~]+$',
    description: 'Letters, digits, hyphens and underscores. Its slug becomes the id and the subdomain.',
    examples: ['tea-house'],
  }),
  organization_name: Type.Optional(Line(255, { description: 'Default: the domain.', examples: ['Tea House'] })),
  name: Type.Optional(
    Line(255, { description: 'The name of the new user or, with a bearer token, of the organization.' }),
  ),
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
  password_confirmation: Type.Optional(Type.String({ maxLength: 1_000 })),
  country: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description:
        'ISO 3166-1 alpha-2 country code. What is absent of country, currency and time zone is derived from the others, ' +
        'from the languages of the browser, or from the region of the platform.',
      examples: ['DE'],
    }),
  ),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.', examples: ['EUR'] })),
  timezone: Type.Optional(Type.String({ format: 'time-zone', examples: ['Europe/Berlin'] })),
});
type Signup = Static<typeof Signup>;

const SignedUp = NamedObject('SignedUp', {
  tenant: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    email: Type.String(),
    email_verified: Type.Boolean(),
    two_factor_enabled: Type.Boolean(),
  }),
  token_type: Type.Optional(Type.Literal('Bearer')),
  access_token: Type.Optional(Type.String({ description: 'For a new user, as after a sign-in.' })),
  expires_in: Type.Optional(Type.Integer()),
  refresh_token: Type.Optional(Type.String()),
});
type SignedUp = Static<typeof SignedUp>;

export const signupActions = {
  'onboarding.signUp': systemAction({
    tag: 'Sign-up',
    summary: 'Create an organization',
    description:
      'With a bearer token the caller, who must have verified the email address, becomes its Owner. Without one, `name`, ' +
      '`email`, `password` and `password_confirmation` create the user, who is signed in.',
    http: 'POST /auth/tenants',
    public: true,
    tenant: 'none',
    graphql: false,
    input: Signup,
    output: SignedUp,
    answer: { status: 201, message: ({ tenant }) => `${tenant.name} was created.` },
    errors: ['onboarding.signup_closed', 'onboarding.sign_in_needed', 'onboarding.email_not_verified'],
    guard: async (ctx) => mustBeOpen(ctx),
    check: checkSignup,
    run: signUp,
  }),
};

function mustBeOpen(ctx: SystemCtx): void {
  if (!ctx.system.options.signup) throw fail('onboarding.signup_closed');
  if (ctx.userId !== undefined) mustBeVerifiedPerson(ctx);
  limitApplications(ctx);
}

/** The tokens of programs, and those that are limited to some permissions, cannot create organizations. */
function mustBeVerifiedPerson({ user, session: { kind, scopes } }: SystemCtx): void {
  if ((kind !== 'login' && kind !== 'device') || scopes) throw fail('onboarding.sign_in_needed');
  if (!user.signInEmailVerified) throw fail('onboarding.email_not_verified');
}

async function checkSignup(ctx: SystemCtx, form: Partial<Signup>, issues: Issues): Promise<void> {
  const { domain } = form;
  const problem = domain === undefined ? undefined : await ctx.system.tenants.idProblem(slugify(domain, 63));
  if (problem) issues.addAll({ domain: [problem] });
  issues.addAll((await ctx.bus.call('installation.checkRegion', pickRegion(form))) as Issues['errors']);
  if (ctx.userId === undefined) await checkNewUser(ctx, form, issues);
}

async function checkNewUser(ctx: SystemCtx, form: Partial<Signup>, issues: Issues): Promise<void> {
  const { email, password, password_confirmation } = form;
  for (const field of ['name', 'email', 'password', 'password_confirmation'] as const) {
    if (form[field] === undefined && !issues.has(field))
      issues.add(field, `The ${field.replaceAll('_', ' ')} is required.`, 'required');
  }
  if (email !== undefined && (await ctx.bus.call('identity.isEmailTaken', { email })))
    issues.addAll({ email: [emailTaken(email)] });
  if (password === undefined) return;
  await checkPassword(ctx, password, issues);
  if (password_confirmation !== undefined && password_confirmation !== password) {
    issues.add('password_confirmation', 'The password confirmation does not match.', 'mismatch');
  }
}

async function signUp(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  return ctx.userId === undefined ? asNewUser(ctx, form) : asCaller(ctx, form);
}

async function asCaller(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  const { id, name, email, emailVerified, twoFactor } = ctx.user;
  const tenant = await create(ctx, form, form.organization_name ?? form.name, async (db, tenantId) => {
    await ctx.withCentral(db).bus.call('identity.makeOwner', { tenantId, userId: id });
  });
  return { tenant, user: { id, name, email, email_verified: emailVerified, two_factor_enabled: twoFactor } };
}

async function asNewUser(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  const { name = '', email = '', password = '' } = form;
  const passwordHash = await ctx.bus.call('identity.hashPassword', { password });
  let userId = 0;
  const tenant = await create(ctx, form, form.organization_name, async (db, tenantId) => {
    const owner = await ctx.withCentral(db).bus.call('identity.registerOwner', { tenantId, name, email, passwordHash });
    if (owner === null) throw invalid({ email: emailTaken(email) });
    userId = owner;
  });
  const tokens = await ctx.bus.call('identity.signIn', { userId, passwordHash });
  const user = { id: userId, name, email, email_verified: false, two_factor_enabled: false };
  return { tenant, user, ...tokens };
}

type InTransaction = Parameters<SystemCtx['system']['tenants']['create']>[1];

/** Only what was sent. */
function pickRegion({ country, currency, timezone }: Partial<Signup>) {
  return { ...(country && { country }), ...(currency && { currency }), ...(timezone && { timezone }) };
}

async function create(
  ctx: SystemCtx,
  form: Signup,
  name: string | undefined,
  work: (db: Parameters<NonNullable<InTransaction>>[0], tenantId: string) => Promise<void>,
): Promise<SignedUp['tenant']> {
  const { domain } = form;
  const id = slugify(domain, 63);
  try {
    const tenant = await ctx.system.tenants.create({ id, name: name ?? domain }, async (db) => {
      await ctx.withCentral(db).bus.call('installation.setRegion', { tenantId: id, region: pickRegion(form) });
      await work(db, id);
    });
    return { id: tenant.id, name: tenant.name };
  } catch (error) {
    throw inFormFields(error);
  }
}

/** Reports problems with the id and the alias as problems with the domain. */
function inFormFields(error: unknown): unknown {
  if (!(error instanceof Failure) || !error.extras.errors) return error;
  const { id = [], aliases = [], ...others } = error.extras.errors;
  const domain = [...id, ...aliases];
  return invalid({ ...others, ...(domain.length > 0 && { domain }) });
}

function emailTaken(email: string) {
  return { code: 'taken', message: `${email} is taken. Sign in with it to create another organization.` } as const;
}
