import { ChowkError } from '@chowk/client';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { errorMessage } from '../format/error-message.ts';
import { Button } from '../ui/button.tsx';
import { EntryLayout } from '../ui/entry-layout.tsx';

/** Instead of a page that failed. What was typed on other pages stays. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const requestId = error instanceof ChowkError ? error.requestId : undefined;
  return (
    <EntryLayout title="This page could not be shown" lead={errorMessage(error)}>
      {requestId && <p className="text-xs break-all text-faint">Request {requestId}</p>}
      <Button variant="primary" className="justify-self-start" onClick={() => location.reload()}>
        Try again
      </Button>
    </EntryLayout>
  );
}
