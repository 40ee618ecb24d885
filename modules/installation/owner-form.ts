import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Issues, type ModuleCommand, type SystemCtx, slugify, type Terminal, UsageError } from '@chowk/kit';
import { checkOwner } from './owner.ts';
import { completeRegion } from './region.ts';
import { NewOwner } from './schemas.ts';

type Options = Parameters<ModuleCommand['run']>[1]['options'];
type Form = Partial<NewOwner>;

interface Question {
  readonly field: keyof NewOwner;
  readonly option: string;
  readonly text: string;
  /** Used for an empty answer, and without a terminal. */
  suggest?(form: Form): string;
  readonly isUpperCase?: true;
}

const questions: readonly Question[] = [
  { field: 'organization_name', option: 'organization', text: 'Name of the organization' },
  {
    field: 'organization_slug',
    option: 'slug',
    text: 'Id of the organization (lower-case letters, digits and hyphens; part of its address; cannot be changed later)',
    suggest: ({ organization_name = '' }) => slugify(organization_name),
  },
  {
    field: 'country',
    option: 'country',
    text: 'Country (two letters, such as DE)',
    suggest: (form) => completeRegion(form).country,
    isUpperCase: true,
  },
  {
    field: 'currency',
    option: 'currency',
    text: 'Currency (three letters, such as EUR)',
    suggest: (form) => completeRegion(form).currency,
    isUpperCase: true,
  },
  {
    field: 'timezone',
    option: 'timezone',
    text: 'Time zone (such as Europe/Berlin)',
    suggest: (form) => completeRegion(form).timezone,
  },
  { field: 'email', option: 'email', text: 'Email address of the owner, to sign in with' },
  { field: 'name', option: 'name', text: 'Name of the owner', suggest: ({ email = '' }) => nameFrom(email) },
];

/** The form from the options. On a terminal, asks for missing values, and again after a wrong answer. */
export async function readForm(ctx: SystemCtx, options: Options, terminal: Terminal, usage: string): Promise<NewOwner> {
  const form: Form = {};
  for (const { field, option, isUpperCase } of questions) {
    const value = readText(options, option);
    if (value !== undefined) form[field] = isUpperCase ? value.toUpperCase() : value;
  }
  const password = await readPassword(options);
  if (password !== undefined) Object.assign(form, { password, password_confirmation: password });
  await checkOptions(ctx, form);
  for (const question of questions)
    if (form[question.field] === undefined) await ask(ctx, form, question, terminal, usage);
  if (form.password === undefined) await askForPassword(ctx, form, terminal);
  return form as NewOwner;
}

/** Before the first question, so that no answer is lost. */
async function checkOptions(ctx: SystemCtx, form: Form): Promise<void> {
  const all = new Issues();
  for (const field of Object.keys(form)) {
    const list = await findProblems(ctx, form, field as keyof NewOwner);
    if (list.length > 0) all.addAll({ [field]: list });
  }
  all.throwIfAny();
}

async function ask(
  ctx: SystemCtx,
  form: Form,
  { field, option, text, suggest, isUpperCase }: Question,
  terminal: Terminal,
  usage: string,
): Promise<void> {
  const suggestion = suggest?.(form) ?? '';
  for (;;) {
    const answer = await terminal.ask(`${text}${suggestion && ` [${suggestion}]`}:`);
    if (answer === undefined && suggestion === '') {
      throw new UsageError(`--${option} is missing; usage: chowkd install ${usage}`);
    }
    const value = answer || suggestion;
    form[field] = isUpperCase ? value.toUpperCase() : value;
    const [problem] = await findProblems(ctx, form, field);
    if (!problem) return;
    if (answer === undefined) throw new UsageError(`set --${option}: ${problem.message}`);
    terminal.progress(`✗ ${problem.message}`);
  }
}

async function askForPassword(ctx: SystemCtx, form: Form, terminal: Terminal): Promise<void> {
  for (;;) {
    const password = await terminal.ask('Password (at least 8 characters, not shown):', { hidden: true });
    if (password === undefined) {
      throw new UsageError('the password is missing; set it with --password-file=<path or -> or --password');
    }
    form.password = password;
    const [problem] = await findProblems(ctx, form, 'password');
    if (!problem) {
      form.password_confirmation = (await terminal.ask('Repeat the password:', { hidden: true })) ?? '';
      if (form.password_confirmation === password) return;
    }
    terminal.progress(`✗ ${problem?.message ?? 'The passwords differ.'}`);
  }
}

/** The problems of one field of an incomplete form; normalizes the field. */
async function findProblems(ctx: SystemCtx, form: Form, field: keyof NewOwner) {
  const checked = { ...form };
  const errors = ctx.check(NewOwner, checked)?.[field] ?? [];
  if (errors.length > 0) return errors;
  form[field] = checked[field] as string;
  const issues = new Issues();
  await checkOwner(ctx, { [field]: form[field] }, issues);
  return issues.errors[field] ?? [];
}

async function readPassword(options: Options): Promise<string | undefined> {
  const [direct, file] = [readText(options, 'password'), readText(options, 'password-file')];
  if (direct !== undefined && file !== undefined) {
    throw new UsageError('use either --password or --password-file, not both');
  }
  return direct ?? (file === undefined ? undefined : readPasswordFile(file));
}

/** The line break at the end of the file is not part of the password. */
async function readPasswordFile(file: string): Promise<string> {
  try {
    const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
    return content.replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`the password file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** `asha.rao@example.com` becomes Asha Rao. */
function nameFrom(email: string): string {
  const words = (email.split('@')[0] ?? '').split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || 'Owner';
}

function readText(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
