import { ChowkError } from '@chowk/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { PasswordStrength } from '../../form/password-strength.tsx';
import { useTypedValues } from '../../form/typed-values.ts';
import { useForm } from '../../form/use-form.ts';
import { anonymous } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { RestoredNotice } from '../../ui/restored-notice.tsx';
import { keepUploadToken } from './upload-token.ts';

interface Values {
  readonly referral_code: string;
  readonly business_name: string;
  readonly preferred_domain: string;
  readonly contact_name: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
}

/** For a business that has a referral code. */
export function ApplyPage() {
  const { code = '' } = useSearch({ from: '/apply' });
  const navigate = useNavigate();
  const [existing, setExisting] = useState<string>();
  const { isBusy, problem, field, isRestored, discard, ...form } = useForm<Values>(
    async ({ referral_code, business_name, contact_name, email, ...optional }) => {
      setExisting(undefined);
      const filled = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== ''));
      const application = { referral_code, business_name, contact_name, email, ...filled };
      try {
        const { application_id: id, upload_token } = await anonymous.onboarding.apply(application);
        keepUploadToken(id, upload_token);
        await navigate({ to: '/apply/$id', params: { id } });
      } catch (error) {
        setExisting(existingApplication(error));
        throw error;
      }
    },
    // Another code is another application.
    { draft: `apply.${code}` },
  );
  const { typed, props } = useTypedValues<Values>(form.props);
  return (
    <EntryLayout
      isWide
      title="Apply for an organization"
      lead="You need the referral code of a reseller. It takes two minutes. Afterwards this page shows the progress of your application."
    >
      <form {...props} className="grid gap-6">
        {problem && (
          <Notice tone="error">
            {problem}{' '}
            {existing !== undefined && (
              <Link to="/apply/$id" params={{ id: existing }} className="font-medium underline underline-offset-4">
                See its progress
              </Link>
            )}
          </Notice>
        )}
        {isRestored && <RestoredNotice onDiscard={discard} />}
        <Field label="Referral code" {...field('referral_code')} help="From the reseller who has invited you.">
          {(control) => (
            <Input
              {...control}
              defaultValue={code}
              autoCapitalize="characters"
              spellCheck={false}
              autoComplete="off"
              required
              className="sm:max-w-72"
            />
          )}
        </Field>
        <div className="grid gap-4 border-t border-line pt-6 sm:grid-cols-2">
          <Field label="Name of the business" {...field('business_name')}>
            {(control) => <Input {...control} autoComplete="organization" required />}
          </Field>
          <PreferredDomain domain={typed.preferred_domain ?? ''} {...field('preferred_domain')} />
        </div>
        <div className="grid gap-4 border-t border-line pt-6 sm:grid-cols-2">
          <Field label="Your name" {...field('contact_name')}>
            {(control) => <Input {...control} autoComplete="name" required />}
          </Field>
          <Field label="Phone (optional)" {...field('phone')}>
            {(control) => <Input {...control} type="tel" autoComplete="tel" />}
          </Field>
          <Field label="Email" {...field('email')} help="You sign in with it.">
            {(control) => <Input {...control} type="email" autoComplete="username" required />}
          </Field>
          <Field
            label="Password (optional)"
            {...field('password')}
            help={
              typed.password ? (
                <PasswordStrength password={typed.password} />
              ) : (
                'If empty, we email you a link to choose one when the organization is ready.'
              )
            }
          >
            {(control) => <PasswordInput {...control} autoComplete="new-password" />}
          </Field>
        </div>
        <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-start max-sm:w-full">
          Send the application
        </Button>
      </form>
    </EntryLayout>
  );
}

function existingApplication(error: unknown): string | undefined {
  if (!(error instanceof ChowkError) || error.code !== 'onboarding.application_exists') return undefined;
  const { application_id: id } = error.body;
  return typeof id === 'string' ? id : undefined;
}

interface PreferredDomainProps {
  readonly domain: string;
  readonly name: 'preferred_domain';
  readonly error: string | undefined;
}

function PreferredDomain({ domain, ...field }: PreferredDomainProps) {
  const { data } = useQuery({ queryKey: keys.applyForm, queryFn: () => anonymous.onboarding.getForm() });
  const address = data?.address.replace('{domain}', domain.trim().toLowerCase());
  const help =
    domain.trim() === '' || address === undefined ? (
      'If empty, it is derived from the name of the business.'
    ) : (
      <>
        Its address: <span className="break-all text-secondary">{address}</span>
      </>
    );
  return (
    <Field label="Address of the organization (optional)" {...field} help={help}>
      {(control) => <Input {...control} autoCapitalize="none" spellCheck={false} />}
    </Field>
  );
}
