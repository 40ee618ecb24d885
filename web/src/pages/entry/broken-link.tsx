import { ChowkError } from '@chowk/client';
import { errorMessage } from '../../format/error-message.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { HomeLink } from './home-link.tsx';

/** Says why the link of a mail cannot be used. */
export function BrokenLink({ error }: { readonly error: Error | undefined }) {
  // The platform cannot be reached, or is busy.
  const canRetry = !(error instanceof ChowkError) || error.status === 429 || error.status >= 500;
  const [problem] = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return (
    <EntryLayout title={canRetry ? 'This link could not be opened' : 'This link does not work'}>
      <Notice tone="error">{problem?.message ?? errorMessage(error)}</Notice>
      {canRetry ? (
        <Button className="justify-self-start" onClick={() => location.reload()}>
          Try again
        </Button>
      ) : (
        <HomeLink />
      )}
    </EntryLayout>
  );
}
