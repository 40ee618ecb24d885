import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, ChevronRight, CircleHelp } from 'lucide-react';
import { Suspense } from 'react';
import { useCan } from '../../api/use-api.ts';
import { Needs } from '../../shell/needs.tsx';
import { type SettingsEntry, settingsSections } from '../../shell/settings-index.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { settingsPages } from './settings-pages.ts';

/** All pages of the settings. */
export function SettingsIndex() {
  const can = useCan();
  return (
    <Needs permission="settings.view">
      <Page title="Settings" isNarrow>
        {settingsSections
          .map(({ title, pages }) => ({
            title,
            shown: pages.filter(({ permission }) => permission === undefined || can(permission)),
          }))
          .filter(({ shown }) => shown.length > 0)
          .map(({ title, shown }) => (
            <Section key={title} title={title}>
              <ul className="border-t border-line">
                {shown.map((page) => (
                  <EntryLink key={page.key} page={page} />
                ))}
              </ul>
            </Section>
          ))}
      </Page>
    </Needs>
  );
}

function EntryLink({ page: { key, title, lead, icon } }: { readonly page: SettingsEntry }) {
  return (
    <li className="border-b border-line">
      <Link
        to="/settings/$page"
        params={{ page: key }}
        onPointerEnter={() => void settingsPages[key]?.preload()}
        className="-mx-3 flex items-center gap-3.5 rounded-control px-3 py-3 transition-colors hover:bg-sunken"
      >
        <Icon icon={icon} size={18} className="shrink-0 text-secondary" />
        <span className="grid min-w-0 flex-1 gap-0.5">
          <span className="font-medium">{title}</span>
          <span className="text-sm text-secondary">{lead}</span>
        </span>
        <Icon icon={ChevronRight} className="shrink-0 text-faint" />
      </Link>
    </li>
  );
}

const pages = settingsSections.flatMap((section) => section.pages);

/** One of them. */
export function SettingsPage() {
  const { page: key } = useParams({ from: '/shell/settings/$page' });
  const page = pages.find((one) => one.key === key);
  const Content = settingsPages[key];
  return (
    <Needs permission="settings.view">
      <Page title={page?.title ?? 'Settings'} isNarrow>
        <Link
          to="/settings"
          className="-mt-6 inline-flex min-h-8 items-center gap-1.5 justify-self-start text-sm text-secondary hover:text-text max-md:min-h-11"
        >
          <Icon icon={ArrowLeft} size={14} />
          All settings
        </Link>
        {page && Content ? (
          <Needs permission={page.permission ?? 'settings.view'}>
            <Suspense fallback={<Skeleton className="h-96 w-full" />}>
              <Content />
            </Suspense>
          </Needs>
        ) : (
          <EmptyState icon={CircleHelp} title="There is no such page">
            The address may be mistyped.
          </EmptyState>
        )}
      </Page>
    </Needs>
  );
}
