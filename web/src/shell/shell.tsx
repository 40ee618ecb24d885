import { ChowkError } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Building2, PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react';
import { Fragment, useEffect, useState } from 'react';
import { useCan, useMe } from '../api/use-api.ts';
import { SignInForm } from '../form/sign-in-form.tsx';
import { errorMessage } from '../format/error-message.ts';
import { useKeys } from '../keyboard/keys.ts';
import { useEntries } from '../modules/entries.ts';
import { chooseTenant, signOut, useSessionState, useTenant, useUserId } from '../session/session.ts';
import { useStored } from '../session/stored.ts';
import { showTimesIn } from '../time/times.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageLoading } from '../ui/page-loading.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { Banners } from './banners.tsx';
import { NotificationBell } from './bell.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { HelpMenu } from './help-menu.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { isOffered, withModulePages } from './navigation.ts';
import { Palette } from './palette.tsx';
import { PersonMenu } from './person-menu.tsx';
import { TenantSwitcher } from './tenant-switcher.tsx';

const item =
  'flex h-9 shrink-0 items-center gap-2.5 rounded-control px-2 font-medium text-secondary transition-colors hover:bg-sunken hover:text-text';

/** Screen readers read the labels of a collapsed navigation too. */
const railLabel = 'min-w-0 truncate group-data-collapsed/rail:sr-only';

/** What surrounds every page of a session. */
export function Shell() {
  const isSignedOut = useSessionState() === 'signed-out';
  const userId = useUserId();
  const [firstUserId] = useState(userId);
  const isOtherUser = !isSignedOut && userId !== firstUserId;
  useEffect(() => {
    // Anew, so that nothing of the first user is left in memory.
    if (isOtherUser) location.replace('/');
  }, [isOtherUser]);
  if (isSignedOut) return <Navigate to="/login" replace />;
  return isOtherUser ? <PageLoading /> : <SignedInShell />;
}

function SignedInShell() {
  const tenant = useTenant();
  const { data: me, error } = useMe();
  // Before the pages, which are shown only when it is known.
  showTimesIn(me?.timezone);
  const can = useCan();
  const isUnbound = useDefaultTenant();
  const navigate = useNavigate();
  const [isShowingKeys, showKeys] = useState(false);
  const [isSearching, showSearch] = useState(false);
  const [isCollapsed, setCollapsed] = useStored('rail.collapsed', false);
  const toggle = () => setCollapsed(!isCollapsed);
  const RailIcon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  const railTitle = isCollapsed ? 'Expand the navigation' : 'Collapse the navigation';
  // All at once, when it is known what the user may do: nothing moves.
  const pages = withModulePages(useEntries('page'));
  const items = me?.permissions || isUnbound ? pages.filter((one) => isOffered(one, can, me?.tenant_role)) : [];
  const firstOfAdministration = items.find(({ isAdministration }) => isAdministration);
  useKeys([
    { key: '[', label: railTitle, run: toggle },
    { key: 'mod+k', label: 'Search and commands', run: () => showSearch(true) },
    { key: '?', label: 'Keyboard shortcuts', run: () => showKeys(true) },
    ...items.flatMap(({ to, label, letter }) =>
      letter === undefined ? [] : [{ key: `g ${letter}`, label: `Go to ${label}`, run: () => void navigate({ to }) }],
    ),
  ]);
  usePageFocus();
  return (
    <div
      className={`shell min-h-dvh md:grid ${isCollapsed ? 'md:grid-cols-[3.25rem_minmax(0,1fr)]' : 'md:grid-cols-[13.5rem_minmax(0,1fr)]'}`}
    >
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-40 focus:rounded-control focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <nav
        aria-label="Main"
        data-collapsed={isCollapsed || undefined}
        className="group/rail sticky top-0 hidden h-dvh flex-col gap-0.5 overflow-y-auto border-r border-line bg-sunken/60 p-2 pt-2.5 md:flex print:hidden"
      >
        <div className="mb-3 min-h-9 min-w-0">
          {me ? <TenantSwitcher me={me} /> : <Skeleton className="m-2 h-5 w-32" />}
        </div>
        {items.map((one) => (
          <Fragment key={one.to}>
            {one === firstOfAdministration && <hr className="mx-2 my-2 border-line" />}
            <Link
              to={one.to}
              title={isCollapsed ? one.label : undefined}
              activeOptions={{ exact: one.to === '/', includeSearch: false }}
              className={item}
              activeProps={{ className: 'bg-accent-tint text-accent-strong!' }}
            >
              <Icon icon={one.icon} className="shrink-0" />
              <span className={railLabel}>{one.label}</span>
            </Link>
          </Fragment>
        ))}
        <button type="button" className={`${item} mt-auto`} onClick={toggle} title={railTitle}>
          <Icon icon={RailIcon} className="shrink-0" />
          <span className={railLabel}>{isCollapsed ? 'Expand' : 'Collapse'}</span>
        </button>
      </nav>
      <div className="grid min-w-0 grid-cols-1 grid-rows-[auto_auto_1fr] content-start">
        <Banners me={me} />
        <header className="sticky top-0 z-10 flex h-14 items-center justify-end gap-1 bg-canvas/95 px-4 max-md:border-b max-md:border-line md:px-8 print:hidden">
          <div className="mr-auto min-w-0 md:hidden">{me && <TenantSwitcher me={me} />}</div>
          <SearchButton onClick={() => showSearch(true)} />
          <HelpMenu onShowKeys={() => showKeys(true)} />
          {me && can('notifications.view') && <NotificationBell userId={me.id} />}
          {me ? <PersonMenu me={me} /> : <span className="w-19 max-md:w-23" />}
        </header>
        <main id="page" tabIndex={-1} className="min-w-0 outline-none max-md:pb-(--bottom-bar)">
          {error && !me ? (
            <Refused error={error} />
          ) : isUnbound ? (
            <NoTenant />
          ) : me?.permissions ? (
            <Outlet key={tenant} />
          ) : (
            <PageLoading />
          )}
        </main>
      </div>
      <BottomBar items={items} />
      <Palette isOpen={isSearching} onClose={() => showSearch(false)} />
      <KeysDialog isOpen={isShowingKeys} onClose={() => showKeys(false)} />
      <ExpiredSession email={me?.sign_in_email ?? me?.email} />
    </div>
  );
}

/** When what had the focus is gone with its page, Tab goes on at the new one. */
function usePageFocus(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== '' && document.activeElement === document.body) {
      document.getElementById('page')?.focus({ preventScroll: true });
    }
  }, [pathname]);
}

/** Opens the palette: a field on a wide screen, an icon on a phone. */
function SearchButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-center gap-2.5 rounded-control text-secondary transition-colors max-md:size-11 max-md:justify-center hover:bg-sunken md:mr-auto md:h-9 md:w-80 md:border md:border-line md:bg-surface md:px-3"
    >
      <Icon icon={Search} className="max-md:size-[18px]" />
      <span className="max-md:sr-only">Search</span>
      <kbd aria-hidden className="ml-auto font-sans text-xs text-faint max-md:hidden">
        Ctrl K
      </kbd>
    </button>
  );
}

/** At the platform's own address a tenant must be chosen: the last one or the first. */
function useDefaultTenant(): boolean {
  const { data: me, error } = useMe();
  const tenant = useTenant();
  const first = me && !me.permissions ? me.tenants[0]?.id : undefined;
  const isLost = tenant !== undefined && error instanceof ChowkError && [403, 404].includes(error.status);
  useEffect(() => {
    if (isLost) chooseTenant(undefined);
    else if (first !== undefined && tenant === undefined) chooseTenant(first);
  }, [isLost, first, tenant]);
  return me !== undefined && !me.permissions && me.tenants.length === 0;
}

function NoTenant() {
  return (
    <EmptyState icon={Building2} title="You belong to no organization yet">
      Ask its owner for an invitation to your address.
    </EmptyState>
  );
}

function Refused({ error }: { readonly error: Error }) {
  return (
    <EmptyState
      icon={Building2}
      title="This organization cannot be opened"
      action={<Button onClick={signOut}>Sign in as someone else</Button>}
    >
      {errorMessage(error)}
    </EmptyState>
  );
}

/** Over the page, so that nothing that was typed is lost. */
function ExpiredSession({ email }: { readonly email: string | undefined }) {
  const cache = useQueryClient();
  const isExpired = useSessionState() === 'expired';
  return (
    <Dialog title="Your session has ended" isOpen={isExpired}>
      <p className="mb-4 text-secondary">Sign in to continue. What you have typed is still here.</p>
      <SignInForm email={email} onSignedIn={() => void cache.invalidateQueries()} />
    </Dialog>
  );
}
