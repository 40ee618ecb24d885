import { ChowkError } from '@chowk/client';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { errorMessage } from '../format/error-message.ts';
import { PageLoadError } from '../routing/lazy-page.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Instead of a page that failed, within the shell: the other pages can still be opened. */
export function PageError({ error }: ErrorComponentProps) {
  const isNotLoaded = error instanceof PageLoadError;
  useEffect(() => {
    if (!isNotLoaded) return;
    const reload = () => location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [isNotLoaded]);
  return (
    <Page
      title="This page could not be shown"
      actions={
        // Without a connection, the browser would show its own error instead of the console.
        <Button onClick={() => navigator.onLine && location.reload()}>Try again</Button>
      }
    >
      <Notice tone="error">{errorMessage(error)}</Notice>
      {error instanceof ChowkError && error.requestId && (
        <p className="text-xs break-all text-faint">Request {error.requestId}</p>
      )}
    </Page>
  );
}
