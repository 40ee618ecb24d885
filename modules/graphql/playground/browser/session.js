/* The session of the browser tab: tokens and, if the host names none, the tenant. Kept until the tab is closed. */

const key = 'chowk.playground';
const api = '/api/v1';
let refreshing;

export function session() {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}');
}

export function keep(changes) {
  sessionStorage.setItem(key, JSON.stringify({ ...session(), ...changes }));
}

export function forget() {
  sessionStorage.removeItem(key);
}

export function post(path, body) {
  return fetch(api + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Sends a request with the token and the tenant of the session, unless it has its own. Refreshes an expired token. */
export async function send(path, options = {}) {
  const { access_token: token } = session();
  const response = await sendOnce(path, options);
  if (response.status !== 401 || new Headers(options.headers).has('authorization')) return response;
  if (token === session().access_token) {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }
  return token === session().access_token ? response : sendOnce(path, options);
}

function sendOnce(path, options) {
  const { access_token, tenant } = session();
  const headers = new Headers(options.headers);
  if (access_token && !headers.has('authorization')) headers.set('authorization', `Bearer ${access_token}`);
  if (tenant && !headers.has('x-tenant')) headers.set('x-tenant', tenant);
  return fetch(api + path, { ...options, headers });
}

/** A refresh token can be used only once: concurrent requests share the call. */
async function refresh() {
  const { refresh_token } = session();
  if (!refresh_token) return;
  const response = await post('/auth/refresh', { refresh_token });
  if (response.ok) keepTokens(await response.json());
}

export function keepTokens({ access_token, refresh_token }) {
  keep({ access_token, refresh_token });
}
