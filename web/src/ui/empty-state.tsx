import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-1 px-6 py-10 text-center">
      <span className="mb-3 grid size-11 place-items-center rounded-full bg-accent-tint text-accent">
        <Icon icon={icon} size={20} />
      </span>
      <h2 className="font-semibold">{title}</h2>
      <div className="max-w-sm text-secondary">{children}</div>
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}
