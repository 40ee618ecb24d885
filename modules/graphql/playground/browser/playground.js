import { forget, post, send, session } from './session.js';
import { subscribe } from './subscribe.js';

const { React, ReactDOM, GraphiQL } = globalThis;
const element = React.createElement;
const root = document.getElementById('playground');

const welcome = `# Requests are sent as ${root.dataset.user} to ${root.dataset.tenant}.
# Headers that you enter below replace those of the session.

{
  tenant {
    id
    name
    ring
  }
}
`;

async function execute({ query, variables, operationName }, { headers } = {}) {
  if (isSubscription(query, operationName)) return subscribe({ query, variables, operationName }, headers);
  const response = await send('/graphql', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables, operationName }),
  });
  // The editors keep their content; the page asks to sign in again.
  if (response.status === 401 && !new Headers(headers).has('authorization')) location.reload();
  const result = await response.json();
  return operationName === 'IntrospectionQuery' && !result.data ? ((await introspectSdl()) ?? result) : result;
}

function isSubscription(query, operationName) {
  const { getOperationAST, parse } = GraphiQL.GraphQL;
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription';
  } catch {
    // The response says what is wrong.
    return false;
  }
}

/** Introspection may be disabled. Users with the permission can get the schema all the same. */
async function introspectSdl() {
  const response = await send('/graphql/schema');
  if (!response.ok) return undefined;
  const { buildSchema, introspectionFromSchema } = GraphiQL.GraphQL;
  return { data: introspectionFromSchema(buildSchema(await response.text())) };
}

async function signOut() {
  const { refresh_token } = session();
  await post('/auth/logout', { refresh_token });
  forget();
  location.reload();
}

const { tenant, user } = root.dataset;
const account = element(
  'div',
  { className: 'account' },
  element('span', null, `${user} · ${tenant}`),
  element('button', { className: 'graphiql-un-styled', type: 'button', onClick: signOut }, 'Sign out'),
);
ReactDOM.createRoot(root).render(
  element(
    GraphiQL,
    { fetcher: execute, defaultQuery: welcome, shouldPersistHeaders: false },
    element(GraphiQL.Logo, null, account),
  ),
);
