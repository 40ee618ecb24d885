import { type Client, createClient, type TokenStore, type Tokens, tokensOf } from '@chowk/client';
import { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { observable } from './observable.ts';

const tokensKey = 'chowk.tokens';
const tenantKey = 'chowk.tenant';

/** `expired`: the page stays as it is, with what was typed, until the user signs in again. */
export type SessionState = 'signed-out' | 'signed-in' | 'expired';

const state = observable<SessionState>(readTokens() ? 'signed-in' : 'signed-out');
const tenant = observable<string | undefined>(localStorage.getItem(tenantKey) ?? undefined);

export const queries = new QueryClient({
  // The client has repeated what may be repeated.
  defaultOptions: { queries: { retry: false, staleTime: 15_000 } },
});

/** Other origins cannot read this storage; why it is not a cookie: docs/decisions/0016. */
const tokens: TokenStore = {
  get: readTokens,
  set(next) {
    localStorage.setItem(tokensKey, JSON.stringify(next));
    state.set('signed-in');
  },
  clear() {
    localStorage.removeItem(tokensKey);
    if (state.get() === 'signed-in') state.set('expired');
  },
};

// Another tab has signed in or out.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== tokensKey) return;
  if (newValue !== null) state.set('signed-in');
  else if (state.get() === 'signed-in') state.set('expired');
});

/** Opens the session of a response other than that of signing in. */
export function keepTokens(response: Parameters<typeof tokensOf>[0]): void {
  void tokens.set(tokensOf(response));
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

export async function signOut(): Promise<void> {
  // Before the tokens are cleared: this session has not expired.
  state.set('signed-out');
  await api()
    .signOut()
    .catch(() => {});
  chooseTenant(undefined);
  queries.clear();
}

export const sessionState = state.get;

export function useSessionState(): SessionState {
  return useSyncExternalStore(state.subscribe, state.get);
}

export function useTenant(): string | undefined {
  return useSyncExternalStore(tenant.subscribe, tenant.get);
}
