import { useLoaderData, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { anonymous } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { BrokenLink } from './broken-link.tsx';

const route = { from: '/email/undo/$token' } as const;

export function UndoEmailChangePage() {
  const { content, error } = useLoaderData(route);
  return content ? <UndoEmailChange email={content.email} /> : <BrokenLink error={error} />;
}

function UndoEmailChange({ email }: { readonly email: string }) {
  const { token } = useParams(route);
  const [result, setResult] = useState<string>();
  const { isBusy, problem, errors, props } = useForm<object, 'token'>(async () => {
    const { message } = await anonymous.email.undo({ token });
    setResult(message);
  });
  const failure = problem ?? errors.token;
  return (
    <EntryLayout title="Undo the change of your email address">
      {result !== undefined ? (
        <Notice tone="success">
          <span className="wrap-anywhere">{result}</span>
        </Notice>
      ) : (
        <form {...props} className="grid gap-5">
          {failure && <Notice tone="error">{failure}</Notice>}
          <p className="text-secondary">
            Your account will use <strong className="font-medium wrap-anywhere text-text">{email}</strong> again.
          </p>
          <ul className="grid list-disc gap-1 pl-5 text-secondary">
            <li>All sessions and access tokens end.</li>
            <li>A link to choose a new password is mailed to this address. Until you use it, nobody can sign in.</li>
          </ul>
          <Button type="submit" variant="danger" isBusy={isBusy}>
            Undo the change
          </Button>
        </form>
      )}
    </EntryLayout>
  );
}
