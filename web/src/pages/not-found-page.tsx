import { Link } from '@tanstack/react-router';
import { EntryLayout } from '../ui/entry-layout.tsx';

export function NotFoundPage() {
  return (
    <EntryLayout title="Page not found" lead="There is no page at this address. It may have been moved or deleted.">
      <Link to="/" className="justify-self-start text-accent underline-offset-4 hover:underline">
        Go to Home
      </Link>
    </EntryLayout>
  );
}
