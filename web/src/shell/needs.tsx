import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCan } from '../api/use-api.ts';
import { EmptyState } from '../ui/empty-state.tsx';

interface NeedsProps {
  readonly permission: string;
  readonly children: ReactNode;
}

/** A page for those who have the permission; others learn which one is missing. */
export function Needs({ permission, children }: NeedsProps) {
  const can = useCan();
  if (can(permission)) return children;
  return (
    <EmptyState icon={Lock} title="You do not have access to this page">
      It needs the permission <code>{permission}</code>. An owner of the organization can give you a role that has it.
    </EmptyState>
  );
}
