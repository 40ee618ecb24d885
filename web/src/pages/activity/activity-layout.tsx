import type { ReactNode } from 'react';
import { TabbedPage } from '../../shell/tabbed-page.tsx';
import { activityTabs } from '../../shell/tabs.ts';

interface ActivityLayoutProps {
  readonly tab: (typeof activityTabs)[number]['to'];
  readonly actions?: ReactNode;
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

export function ActivityLayout(props: ActivityLayoutProps) {
  return <TabbedPage title="Activity" tabs={activityTabs} {...props} />;
}
