import { ChowkError } from '@chowk/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { errorMessage } from '../../format/error-message.ts';
import { anonymous, api, chooseTenant } from '../../session/session.ts';
import { BrandMark } from '../../ui/brand.tsx';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DemoData } from './demo-data.tsx';
import { OwnerForm, type OwnerValues } from './owner-form.tsx';
import { RequirementList } from './requirement-list.tsx';
import { Step } from './step.tsx';

const { install } = anonymous;

/** Continues with the step that the platform has reached, also after a reload. */
export function InstallPage() {
  const { installation } = useRouteContext({ from: '/install' });
  const navigate = useNavigate();
  const [reached, setReached] = useState(installation.current_step);
  const [token, setToken] = useState('');
  const [needsToken, setNeedsToken] = useState(false);
  const [organization, setOrganization] = useState<string>();
  const headers = token === '' ? {} : { headers: { 'X-Install-Token': token } };
  const checks = useQuery({
    queryKey: keys.installRequirements,
    queryFn: async () => {
      const report = await install.checkRequirements();
      // The form of the last step keeps what was typed.
      setReached((step) => (report.passed ? Math.max(step, 2) : step === 4 ? step : 1));
      return report;
    },
    refetchOnWindowFocus: false,
  });
  const setUp = useMutation({
    mutationFn: async () => {
      if (reached <= 2) {
        await install.setupDatabase({}, headers);
        setReached(3);
      }
      await install.seedData({}, headers);
      setReached(4);
    },
  });
  async function finish(values: OwnerValues): Promise<void> {
    const { tenant_id } = await install.createOwner(values, headers).catch((error) => {
      if (isTokenRequired(error)) setNeedsToken(true);
      throw error;
    });
    chooseTenant(tenant_id);
    await api().signIn({ email: values.email, password: values.password });
    setOrganization(values.organization_name);
  }
  if (organization !== undefined) {
    return <Installed organization={organization} onDone={() => void navigate({ to: '/', replace: true })} />;
  }
  const setUpForm = (
    <SetUp error={setUp.error} isBusy={setUp.isPending} token={token} onToken={setToken} onStart={setUp.mutate} />
  );
  const stepState = (step: number) => (step < reached ? 'done' : step === reached ? 'current' : 'waiting');
  const failures = checks.data?.requirements.filter(({ passed }) => !passed).length ?? 0;
  return (
    <main className="mx-auto w-full max-w-3xl px-4 py-12 sm:px-8 sm:py-16">
      <title>Install Chowk</title>
      <header className="mb-10 grid gap-1">
        <div className="mb-5 flex items-center gap-2 text-lg font-semibold tracking-tight">
          <BrandMark size={22} />
          Chowk
        </div>
        <h1 className="text-2xl font-semibold tracking-tight">Install Chowk</h1>
        <p className="text-secondary">Four steps, about a minute. You can close this page and continue later.</p>
      </header>
      <ol>
        <Step number={1} title="Check this machine" state={stepState(1)}>
          {checks.isError ? (
            <Notice tone="error">{errorMessage(checks.error)}</Notice>
          ) : (
            <RequirementList report={checks.data} />
          )}
          {(checks.isError || failures > 0) && (
            <Button className="justify-self-start" isBusy={checks.isFetching} onClick={() => void checks.refetch()}>
              Check again
            </Button>
          )}
        </Step>
        <Step
          number={2}
          title="Set up the database"
          state={stepState(2)}
          summary={reached > 2 ? 'Tables and keys are ready' : undefined}
        >
          {reached === 2 && setUpForm}
        </Step>
        <Step
          number={3}
          title="Add roles and settings"
          state={stepState(3)}
          summary={reached > 3 ? 'Roles, permissions and modules are ready' : undefined}
        >
          {reached === 3 && setUpForm}
        </Step>
        <Step number={4} title="Your organization and you" state={stepState(4)}>
          {reached === 4 && (
            <>
              {needsToken && <TokenField token={token} onToken={setToken} />}
              <OwnerForm onSubmit={finish} />
            </>
          )}
        </Step>
      </ol>
    </main>
  );
}

interface InstalledProps {
  readonly organization: string;
  readonly onDone: () => void;
}

function Installed({ organization, onDone }: InstalledProps) {
  return (
    <EntryLayout title={`${organization} is ready`} lead="You are signed in as its owner. How do you want to begin?">
      <Button variant="primary" className="justify-self-start" autoFocus onClick={onDone}>
        Start empty
      </Button>
      <section className="grid gap-2 border-t border-line pt-6">
        <h2 className="font-semibold">Look around with demo data</h2>
        <DemoData onDone={onDone} />
      </section>
    </EntryLayout>
  );
}

function isTokenRequired(error: unknown): boolean {
  return error instanceof ChowkError && error.code === 'installation.token_required';
}

interface SetUpProps {
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly token: string;
  readonly onToken: (token: string) => void;
  readonly onStart: () => void;
}

/** Steps 2 and 3: nothing is to be decided, so one button takes both. */
function SetUp({ error, isBusy, token, onToken, onStart }: SetUpProps) {
  const needsToken = isTokenRequired(error);
  return (
    <form
      className="grid max-w-md gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onStart();
      }}
    >
      <p className="text-secondary">
        Creates the tables and the signing keys, then the roles, permissions and default settings. Repeating it is safe.
      </p>
      {error && !needsToken && <Notice tone="error">{errorMessage(error)}</Notice>}
      {needsToken && <TokenField token={token} onToken={onToken} error={token === '' ? undefined : error?.message} />}
      <Button type="submit" variant="primary" className="justify-self-start" isBusy={isBusy}>
        Set up
      </Button>
    </form>
  );
}

interface TokenFieldProps {
  readonly token: string;
  readonly onToken: (token: string) => void;
  readonly error?: string | undefined;
}

function TokenField({ token, onToken, error }: TokenFieldProps) {
  return (
    <Field
      label="Install token"
      error={error}
      help="The server printed it when it started, unless INSTALL_TOKEN is set."
    >
      {(control) => (
        <Input {...control} value={token} onChange={({ target }) => onToken(target.value.trim())} spellCheck={false} />
      )}
    </Field>
  );
}
