import { ChowkError } from '@chowk/client';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { messageOf } from '../form.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';

/** Instead of a page that failed, within the shell: the other pages can still be opened. */
export function PageError({ error }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown" actions={<Button onClick={() => location.reload()}>Try again</Button>}>
      <Notice tone="error">{messageOf(error)}</Notice>
      {error instanceof ChowkError && error.requestId && (
        <p className="text-xs break-all text-faint">Request {error.requestId}</p>
      )}
    </Page>
  );
}
