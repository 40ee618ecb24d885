import type { WaitingDevice } from '@chowk/client';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

interface Waiting {
  readonly code: string;
  readonly device: WaitingDevice;
}

/** Signs in a program or device that shows a code. */
export function DevicePage() {
  const { user_code } = useSearch({ from: '/device' });
  const [waiting, setWaiting] = useState<Waiting>();
  const [result, setResult] = useState<string>();
  return (
    <EntryLayout title="Connect a device">
      {result !== undefined ? (
        <>
          <Notice tone="success">{result}</Notice>
          <Link to="/" className="justify-self-start text-accent underline-offset-4 hover:underline">
            Go to Home
          </Link>
        </>
      ) : waiting ? (
        <Decision waiting={waiting} onDecided={setResult} />
      ) : (
        <CodeForm code={user_code} onFound={setWaiting} />
      )}
    </EntryLayout>
  );
}

interface CodeFormProps {
  readonly code: string | undefined;
  readonly onFound: (waiting: Waiting) => void;
}

interface Values {
  readonly user_code: string;
}

/** The code is never looked up by itself: a link with a code could come from someone else. */
function CodeForm({ code, onFound }: CodeFormProps) {
  const { isBusy, problem, field, props } = useForm<Values>(async ({ user_code }) => {
    const { device } = await api().device.get({ user_code });
    onFound({ code: user_code, device });
  });
  return (
    <form {...props} className="grid gap-4">
      {problem && <Notice tone="error">{problem}</Notice>}
      <Field label="Code" help="The code that the device shows." {...field('user_code')}>
        {(control) => (
          <Input
            {...control}
            defaultValue={code}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            className="numeric tracking-widest uppercase"
            required
          />
        )}
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy}>
        Continue
      </Button>
    </form>
  );
}

interface DecisionProps {
  readonly waiting: Waiting;
  readonly onDecided: (message: string) => void;
}

function Decision({ waiting: { code, device }, onDecided }: DecisionProps) {
  const approve = useForm(async () => onDecided((await api().device.approve({ user_code: code })).message));
  const deny = useForm(async () => onDecided((await api().device.deny({ user_code: code })).message));
  const problem = approve.problem ?? deny.problem;
  return (
    <div className="grid gap-5">
      {problem && <Notice tone="error">{problem}</Notice>}
      <dl className="grid grid-cols-[5rem_1fr] gap-y-2 border-y border-line py-4 text-sm">
        <dt className="text-secondary">Program</dt>
        <dd className="font-medium">{device.client}</dd>
        <dt className="text-secondary">Address</dt>
        <dd className="break-all">{device.ip ?? 'Unknown'}</dd>
        <dt className="text-secondary">Asked</dt>
        <dd>
          <RelativeTime time={device.created_at} />
        </dd>
        <dt className="text-secondary">May use</dt>
        <dd>{device.scopes?.join(', ') ?? 'Everything that you may do'}</dd>
      </dl>
      <Notice tone="warning">Approve only what you have started yourself. It will be signed in as you.</Notice>
      <div className="grid grid-cols-2 gap-2">
        <form {...deny.props} className="grid">
          <Button type="submit" isBusy={deny.isBusy}>
            Deny
          </Button>
        </form>
        <form {...approve.props} className="grid">
          <Button type="submit" variant="primary" isBusy={approve.isBusy}>
            Approve
          </Button>
        </form>
      </div>
    </div>
  );
}
