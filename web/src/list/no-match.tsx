import type { LucideIcon } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

interface NoMatchProps {
  readonly icon: LucideIcon;
  /** In the singular and in the plural. */
  readonly names: readonly [one: string, all: string];
  /** Removes the search and the filters. */
  readonly onClear: () => void;
}

/** A list in which nothing matches the search and the filters. */
export function NoMatch({ icon, names: [one, all], onClear }: NoMatchProps) {
  return (
    <EmptyState icon={icon} title={`No ${one} matches`} action={<Button onClick={onClear}>Show all {all}</Button>}>
      Search for something else, or remove a filter.
    </EmptyState>
  );
}
