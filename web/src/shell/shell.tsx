import { ChowkError } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { BookOpen, Building2, CircleHelp, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCan, useMe } from '../api-query.ts';
import { messageOf } from '../form.ts';
import { useKeys } from '../keys.ts';
import { SignInForm } from '../pages/entry/sign-in-form.tsx';
import { chooseTenant, signOut, useSessionState, useTenant } from '../session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { NotificationBell } from './bell.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { navigation } from './navigation.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { Palette } from './palette.tsx';
import { PersonMenu } from './person-menu.tsx';
import { TenantSwitcher } from './tenant-switcher.tsx';

const item =
  'flex h-9 items-center gap-2.5 rounded-control px-2 font-medium text-secondary transition-colors hover:bg-sunken hover:text-text';

/** What surrounds every page of a session. */
export function Shell() {
  const { data: me, error } = useMe();
  const can = useCan();
  const isUnbound = useTenantOfUser();
  const [isShowingKeys, showKeys] = useState(false);
  const [isSearching, showSearch] = useState(false);
  useKeys([
    { key: 'mod+k', label: 'Search and commands', run: () => showSearch(true) },
    { key: '?', label: 'Show the keys', run: () => showKeys(true) },
  ]);
  const items = navigation.filter(({ permission }) => permission === undefined || can(permission));
  return (
    <div className="shell min-h-dvh md:grid md:grid-cols-[13.5rem_1fr]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-40 focus:rounded-control focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <nav
        aria-label="Main"
        className="sticky top-0 hidden h-dvh content-start gap-0.5 border-r border-line bg-sunken/60 p-2 pt-2.5 md:grid"
      >
        <div className="mb-3">{me ? <TenantSwitcher me={me} /> : <Skeleton className="m-2 h-5 w-32" />}</div>
        {items.map(({ to, label, Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/' }}
            className={item}
            activeProps={{ className: 'bg-accent-tint text-accent-strong!' }}
          >
            <Icon size={16} strokeWidth={1.5} aria-hidden />
            {label}
          </Link>
        ))}
        <hr className="mx-2 my-2 border-line" />
        <a href="/docs/" className={item}>
          <BookOpen size={16} strokeWidth={1.5} aria-hidden />
          API reference
        </a>
      </nav>
      <div className="grid min-w-0 grid-rows-[auto_auto_1fr] content-start">
        <OfflineBanner />
        <header className="sticky top-0 z-10 flex h-14 items-center justify-end gap-1 bg-canvas/95 px-4 max-md:border-b max-md:border-line md:px-8">
          <div className="mr-auto min-w-0 md:hidden">{me && <TenantSwitcher me={me} />}</div>
          <SearchButton onClick={() => showSearch(true)} />
          <IconButton label="Show the keys" className="max-md:hidden" onClick={() => showKeys(true)}>
            <CircleHelp size={18} strokeWidth={1.5} aria-hidden />
          </IconButton>
          {me && can('notifications.view') && <NotificationBell userId={me.id} />}
          {me && <PersonMenu me={me} />}
        </header>
        <main id="page" tabIndex={-1} className="min-w-0 outline-none max-md:pb-(--bottom-bar)">
          {error && !me ? (
            <Refused error={error} />
          ) : isUnbound ? (
            <NoTenant />
          ) : me?.permissions ? (
            <Outlet />
          ) : (
            <Loading />
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

/** Opens the palette: a field on a wide screen, an icon on a phone. */
function SearchButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-center gap-2.5 rounded-control text-secondary transition-colors max-md:size-11 max-md:justify-center hover:bg-sunken md:mr-auto md:h-9 md:w-80 md:border md:border-line md:bg-surface md:px-3"
    >
      <Search size={16} strokeWidth={1.5} aria-hidden className="max-md:size-[18px]" />
      <span className="max-md:sr-only">Search</span>
      <kbd aria-hidden className="ml-auto font-sans text-xs text-faint max-md:hidden">
        Ctrl K
      </kbd>
    </button>
  );
}

/** At the platform's own address a tenant must be chosen: the last one or the first. */
function useTenantOfUser(): boolean {
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

function Loading() {
  return (
    <div role="status" className="grid gap-6 px-4 pt-2 md:px-8">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-7 w-40" />
      <Skeleton className="h-20 w-full max-w-2xl" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}

function NoTenant() {
  return (
    <EmptyState icon={<Building2 size={20} strokeWidth={1.5} aria-hidden />} title="You belong to no organization yet">
      Ask its owner for an invitation to your address.
    </EmptyState>
  );
}

function Refused({ error }: { readonly error: Error }) {
  return (
    <EmptyState
      icon={<Building2 size={20} strokeWidth={1.5} aria-hidden />}
      title="This organization cannot be opened"
      action={
        <Button onClick={() => void signOut().then(() => location.assign('/login'))}>Sign in as someone else</Button>
      }
    >
      {messageOf(error)}
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
