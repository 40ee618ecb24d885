import { type Client, createClient, parseUserId, type TokenStore, type Tokens } from '@chowk/client';
import { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { observable } from '../state/observable.ts';
import { removeOtherDrafts, userStorageKey } from './storage-key.ts';

const tokensKey = 'chowk.tokens';
const tenantKey = 'chowk.tenant';
/** Stays when a session expires and is removed when the user signs out, so that other tabs can tell the two apart. */
const userKey = 'chowk.user';

/** `expired`: the page stays as it is, with what was typed, until the user signs in again. */
export type SessionState = 'signed-out' | 'signed-in' | 'expired';

const state = observable<SessionState>(readTokens() ? 'signed-in' : 'signed-out');
const user = observable<string | undefined>(parseUserId(readTokens()?.accessToken));
const tenant = observable<string | undefined>(localStorage.getItem(tenantKey) ?? undefined);
let isSigningOut = false;

export const queries = new QueryClient({
  // The client has repeated what may be repeated.
  defaultOptions: { queries: { retry: false, staleTime: 15_000 } },
});

/** Other origins cannot read this storage; why it is not a cookie: docs/decisions/0016. */
const tokens: TokenStore = {
  get: readTokens,
  set(next) {
    const id = parseUserId(next.accessToken);
    if (id !== undefined && !isSigningOut) localStorage.setItem(userKey, id);
    localStorage.setItem(tokensKey, JSON.stringify(next));
    // A refresh that was under way: the sign-out waits for it.
    if (isSigningOut) return;
    setUser(id);
    state.set('signed-in');
  },
  clear() {
    isSigningOut = false;
    localStorage.removeItem(tokensKey);
    if (state.get() === 'signed-in') state.set('expired');
  },
};

// The session may be older than this key.
const initialUser = user.get();
if (initialUser !== undefined) localStorage.setItem(userKey, initialUser);

// Another tab has signed in or out.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === userKey && newValue === null) forgetSession();
  else if (key === userKey) setUser(newValue ?? undefined);
  else if (key === tokensKey && newValue !== null) state.set('signed-in');
  else if (key === tokensKey && state.get() === 'signed-in') state.set('expired');
});

/** Nothing of the user before is shown to another one; the shell reloads the page. */
function setUser(id: string | undefined): void {
  if (id === user.get()) return;
  if (user.get() !== undefined) queries.clear();
  removeOtherDrafts(id);
  user.set(id);
}

let current: { readonly tenant: string | undefined; readonly client: Client } | undefined;

/** The client of the chosen tenant. */
export function api(): Client {
  if (!current || current.tenant !== tenant.get()) {
    current = { tenant: tenant.get(), client: createClient({ url: location.origin, tenant: tenant.get(), tokens }) };
  }
  return current.client;
}

/** Without tokens and tenant, for what precedes a session. */
export const anonymous: Client = createClient({ url: location.origin });

function readTokens(): Tokens | undefined {
  try {
    return JSON.parse(localStorage.getItem(tokensKey) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** At the platform's own address; elsewhere the address names the tenant. */
export function chooseTenant(id: string | undefined): void {
  if (id === undefined) localStorage.removeItem(tenantKey);
  else localStorage.setItem(tenantKey, id);
  tenant.set(id);
}

/** Takes effect at once; the request to the platform is sent in the background, also if the page is closed. */
export function signOut(): void {
  isSigningOut = readTokens() !== undefined;
  api()
    .signOut({ fetch: (input, init) => fetch(input, { ...init, keepalive: true }) })
    .catch(() => {});
  localStorage.removeItem(userKey);
  forgetSession();
}

function forgetSession(): void {
  state.set('signed-out');
  user.set(undefined);
  chooseTenant(undefined);
  queries.clear();
}

/** The key of something that this browser keeps for the user, in the tenant. */
export function storageKey(name: string): string {
  return userStorageKey({ user: user.get(), tenant: tenant.get() ?? location.hostname, name });
}

export const sessionState = state.get;
export const onUserChange = user.subscribe;

export function useSessionState(): SessionState {
  return useSyncExternalStore(state.subscribe, state.get);
}

/** The user of the session, also of one that has expired. */
export function useUserId(): string | undefined {
  return useSyncExternalStore(user.subscribe, user.get);
}

export function useTenant(): string | undefined {
  return useSyncExternalStore(tenant.subscribe, tenant.get);
}
