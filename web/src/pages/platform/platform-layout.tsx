import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/use-api.ts';
import { TabbedPage } from '../../shell/tabbed-page.tsx';
import { platformTabs } from '../../shell/tabs.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

interface PlatformLayoutProps {
  readonly tab: (typeof platformTabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function PlatformLayout(props: PlatformLayoutProps) {
  if (useMe().data?.tenant_role !== 'platform_owner') {
    return (
      <EmptyState icon={Lock} title="This page belongs to the owner of the platform">
        Only members of the organization that runs the platform can open it.
      </EmptyState>
    );
  }
  return <TabbedPage title="Platform" tabs={platformTabs} {...props} />;
}
