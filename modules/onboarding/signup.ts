import {
  Email,
  Failure,
  Issues,
  invalid,
  Line,
  NamedObject,
  NewPassword,
  type Static,
  type SystemCtx,
  slugOf,
  systemAction,
  Type,
} from '@chowk/kit';
import { fail } from './errors.ts';

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
  access_token: Type.Optional(Type.String({ description: 'Of a new user, as after a sign-in.' })),
  expires_in: Type.Optional(Type.Integer()),
  refresh_token: Type.Optional(Type.String()),
});
type SignedUp = Static<typeof SignedUp>;

export const signupActions = {
  'onboarding.signUp': systemAction({
    tag: 'Sign-up',
    summary: 'Create an organization',
    description:
      'With a bearer token the caller becomes its Owner. Without one, `name`, `email`, `password` and ' +
      '`password_confirmation` create the user, who is signed in.',
    http: 'POST /auth/tenants',
    public: true,
    tenant: 'none',
    graphql: false,
    input: Signup,
    output: SignedUp,
    answer: { status: 201, message: ({ tenant }) => `${tenant.name} was created.` },
    errors: ['onboarding.signup_closed', 'onboarding.sign_in_needed'],
    admit: async (ctx) => mustBeOpen(ctx),
    explain: explainSignup,
    run: signUp,
  }),
};

function mustBeOpen(ctx: SystemCtx): void {
  if (!ctx.system.options.signup) throw fail('onboarding.signup_closed');
  if (ctx.userId !== undefined && !['login', 'device'].includes(ctx.session.kind)) {
    throw fail('onboarding.sign_in_needed');
  }
  ctx.system.limits.take(`apply from ${ctx.client.network}`, ctx.system.options.applicationsPerMinute);
}

async function signUp(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  const issues = new Issues();
  await explainSignup(ctx, form, issues);
  issues.throwIfAny();
  return ctx.userId === undefined ? asNewUser(ctx, form) : asCaller(ctx, form);
}

async function asCaller(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  const { id, name, email, emailVerified, twoFactor } = ctx.user;
  const identity = await ctx.helpers('identity');
  const tenant = await create(ctx, form, form.organization_name ?? form.name, async (db, tenantId) => {
    await identity?.makeOwner({ db, tenantId, userId: id });
  });
  return { tenant, user: { id, name, email, email_verified: emailVerified, two_factor_enabled: twoFactor } };
}

async function asNewUser(ctx: SystemCtx, form: Signup): Promise<SignedUp> {
  const { name = '', email = '', password = '' } = form;
  const identity = await ctx.helpers('identity');
  if (!identity) throw new Error('the identity module is missing');
  const passwordHash = await identity.hashPassword({ password });
  let userId = 0;
  const tenant = await create(ctx, form, form.organization_name, async (db, tenantId) => {
    const owner = await identity.registerOwner({ db, tenantId, name, email, passwordHash });
    if (owner === undefined) throw invalid({ email: emailTaken(email) });
    userId = owner;
  });
  const tokens = await identity.signIn({ userId, passwordHash });
  const user = { id: userId, name, email, email_verified: false, two_factor_enabled: false };
  return { tenant, user, ...tokens };
}

type InTransaction = Parameters<SystemCtx['system']['tenants']['create']>[1];

async function create(
  { system }: SystemCtx,
  { domain }: Signup,
  name: string | undefined,
  work: (db: Parameters<NonNullable<InTransaction>>[0], tenantId: string) => Promise<void>,
): Promise<SignedUp['tenant']> {
  const id = slugOf(domain, 63);
  try {
    const tenant = await system.tenants.create({ id, name: name ?? domain }, (db) => work(db, id));
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

async function explainSignup(ctx: SystemCtx, form: Partial<Signup>, issues: Issues): Promise<void> {
  const { domain } = form;
  if (domain !== undefined && !issues.has('domain')) {
    const problem = await ctx.system.tenants.problemOf(slugOf(domain, 63));
    if (problem) issues.add('domain', problem.message, problem.code);
  }
  if (ctx.userId === undefined) await explainNewUser(ctx, form, issues);
}

async function explainNewUser(ctx: SystemCtx, form: Partial<Signup>, issues: Issues): Promise<void> {
  const { email, password, password_confirmation } = form;
  for (const field of ['name', 'email', 'password', 'password_confirmation'] as const) {
    if (form[field] === undefined && !issues.has(field))
      issues.add(field, `The ${field.replaceAll('_', ' ')} is required.`, 'required');
  }
  const identity = await ctx.helpers('identity');
  if (email !== undefined && (await identity?.isEmailTaken({ email }))) issues.addAll({ email: [emailTaken(email)] });
  if (password === undefined) return;
  const problem = await identity?.commonPasswordProblem({ password });
  if (problem) issues.add('password', problem);
  if (password_confirmation !== undefined && password_confirmation !== password) {
    issues.add('password_confirmation', 'The password confirmation does not match.', 'mismatch');
  }
}

function emailTaken(email: string) {
  return { code: 'taken', message: `${email} is taken. Sign in with it to create another organization.` } as const;
}
