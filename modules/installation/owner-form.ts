import { type FieldErrors, invalid, passwordProblem } from '@chowk/kit';
import type { OwnerForm } from './schemas.ts';

export interface NewOwner {
  readonly organization: string;
  readonly slug: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** The form that its schema has accepted, in the form in which it is kept; or 422 with all that is still wrong. */
export function readOwnerForm(form: OwnerForm): NewOwner {
  const owner = {
    organization: form.organization_name.trim(),
    slug: form.organization_slug,
    name: form.name.trim(),
    email: form.email.toLowerCase(),
    password: form.password,
  };
  const problems = [
    { field: 'organization_name', problem: owner.organization === '' && 'The organization name must not be empty.' },
    { field: 'organization_slug', problem: slugProblem(owner.slug) },
    { field: 'name', problem: owner.name === '' && 'The name must not be empty.' },
    { field: 'password', problem: passwordProblem(owner.password) },
    {
      field: 'password_confirmation',
      problem: form.password !== form.password_confirmation && 'The password confirmation does not match.',
    },
  ];
  const errors: FieldErrors = {};
  for (const { field, problem } of problems) if (problem) errors[field] = [problem];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return owner;
}

function slugProblem(slug: string): string | undefined {
  if (/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(slug)) return undefined;
  return 'Use lower-case letters, digits and inner hyphens.';
}

/** A slug made from a name; empty if the name has no letter or digit that a host name may hold. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}
