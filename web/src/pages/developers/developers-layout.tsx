import type { ReactNode } from 'react';
import { TabbedPage } from '../../shell/tabbed-page.tsx';
import { developerTabs } from '../../shell/tabs.ts';

interface DevelopersLayoutProps {
  readonly tab: (typeof developerTabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function DevelopersLayout(props: DevelopersLayoutProps) {
  return <TabbedPage title="Developers" tabs={developerTabs} {...props} />;
}
