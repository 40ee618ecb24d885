import { Link } from '@tanstack/react-router';
import { CircleHelp } from 'lucide-react';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';

/** There is no page at the address. */
export function UnknownPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={CircleHelp}
        title="There is no page at this address"
        action={
          <Link to="/" className="text-accent underline-offset-4 hover:underline">
            Go to Home
          </Link>
        }
      >
        It may have been moved or deleted. Ctrl K finds pages, customers, orders and products.
      </EmptyState>
    </Page>
  );
}
