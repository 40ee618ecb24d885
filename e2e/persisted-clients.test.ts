import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, createRequest, fetchExchange, type OperationResult, stringifyDocument } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { print } from 'graphql';
import { expect, test } from 'vitest';
import { type InstalledPlatform, startInstalledPlatform } from './platform.ts';

/* Apollo Client and urql as they are, with their own implementations of persisted queries. */

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Any = any;
type Variables = Record<string, unknown>;

/** The data of a query, or the codes of its errors. */
type Outcome = { data: unknown } | { codes: unknown[] };

interface GraphqlClient {
  readonly name: string;
  /** The method of its queries. */
  readonly method: string;
  /** The text that the client sends for a query. */
  printQuery(query: string): string;
  run(query: string, variables?: Variables): Promise<Outcome>;
  change(mutation: string, variables: Variables): Promise<Outcome>;
}

/** A request. */
interface Sent {
  readonly method: string;
  readonly query: string | undefined;
}

function authHeaders({ token, tenant }: InstalledPlatform) {
  return { authorization: `Bearer ${token}`, 'x-tenant': tenant };
}

/** Sends requests and records them. */
function recordingFetch(sent: Sent[]): typeof fetch {
  return (input, init) => {
    const { method = 'GET', body } = init ?? {};
    const { searchParams } = new URL(String(input));
    const { query } = body ? JSON.parse(String(body)) : { query: searchParams.get('query') ?? undefined };
    sent.push({ method, query });
    return fetch(input, init);
  };
}

function apolloClient(platform: InstalledPlatform, sent: Sent[]): GraphqlClient {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const http = new HttpLink({
    uri: `${platform.url}/api/v1/graphql`,
    headers: authHeaders(platform),
    fetch: recordingFetch(sent),
  });
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([new PersistedQueryLink({ sha256 }), http]),
  });
  return {
    name: 'Apollo Client',
    method: 'POST',
    printQuery: (query) => print(gql(query)),
    run: (query, variables = {}) => settle(client.query({ query: gql(query), variables, fetchPolicy: 'no-cache' })),
    change: (mutation, variables) => settle(client.mutate({ mutation: gql(mutation), variables })),
  };
}

async function settle(result: Promise<{ data?: unknown }>): Promise<Outcome> {
  try {
    return { data: (await result).data };
  } catch (error) {
    if (!CombinedGraphQLErrors.is(error)) throw error;
    return { codes: error.errors.map(({ extensions }) => extensions?.code) };
  }
}

function urqlClient(platform: InstalledPlatform, sent: Sent[]): GraphqlClient {
  const client = new Client({
    url: `${platform.url}/api/v1/graphql`,
    fetchOptions: { headers: authHeaders(platform) },
    fetch: recordingFetch(sent),
    exchanges: [persistedExchange({}), fetchExchange],
  });
  return {
    name: 'urql',
    method: 'GET',
    printQuery: (query) => stringifyDocument(createRequest(query, {}).query),
    run: async (query, variables = {}) => toOutcome(await client.query(query, variables).toPromise()),
    change: async (mutation, variables) => toOutcome(await client.mutation(mutation, variables).toPromise()),
  };
}

function toOutcome({ data, error }: OperationResult): Outcome {
  return error ? { codes: error.graphQLErrors.map(({ extensions }) => extensions.code) } : { data };
}

test('persisted queries of Apollo Client and urql work as they are', async () => {
  const platform = await startInstalledPlatform();
  const send = async (method: string, path: string, body: object) => {
    const headers = { ...authHeaders(platform), 'content-type': 'application/json' };
    const response = await fetch(`${platform.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect(response.ok, `${method} ${path}`).toBe(true);
  };
  const sent: Sent[] = [];
  const clients = [apolloClient(platform, sent), urqlClient(platform, sent)];
  const registered = 'query Registered { __typename }';
  const adHoc = 'query AdHoc { __typename }';
  for (const { printQuery } of clients) {
    await send('POST', '/graphql/persisted', { query: printQuery(registered), name: 'Registered' });
  }
  for (const { name, method, run, printQuery } of clients) {
    sent.length = 0;
    expect(await run(registered), name).toMatchObject({ data: { __typename: 'Query' } });
    expect(await run(adHoc), name).toMatchObject({ data: { __typename: 'Query' } });
    const texts = sent.map(({ query }) => query);
    expect(texts, `${name} sends hashes, and a text after its hash was not found`).toEqual([
      undefined,
      undefined,
      printQuery(adHoc),
    ]);
    expect([...new Set(sent.map((one) => one.method))], name).toEqual([method]);
  }
  await send('PATCH', '/settings', { 'graphql.persisted_queries_only': true });
  for (const { name, run } of clients) {
    expect(await run(registered), name).toMatchObject({ data: { __typename: 'Query' } });
    expect(await run(adHoc), name).toEqual({ codes: ['PERSISTED_QUERY_REQUIRED'] });
  }

  await send('PATCH', '/settings', { 'graphql.persisted_queries_only': false });
  for (const client of clients) await createAndRead(client);
});

/** Variables, mutations, a filter and pages, as programs use them. */
async function createAndRead({ name, run, change }: GraphqlClient): Promise<void> {
  const create = `mutation Create($input: NewCustomerInput!) { createCustomer(input: $input) { id first_name } }`;
  const last_name = name.replace(' ', '');
  for (const first_name of ['Asha', 'Leela', 'Meera']) {
    const created = await change(create, { input: { first_name, last_name } });
    expect(created, name).toMatchObject({ data: { createCustomer: { id: expect.any(String), first_name } } });
  }
  expect(await change(create, { input: { email: 'asha' } }), name).toEqual({ codes: ['BAD_INPUT'] });
  const list = `query Page($filter: CustomersFilter, $first: Int, $after: String) {
    customers(first: $first, after: $after, filter: $filter) {
      totalCount edges { cursor node { first_name } } pageInfo { hasNextPage endCursor }
    }
  }`;
  const read = async (after: string | null): Promise<Any> => {
    const outcome = (await run(list, { filter: { search: last_name }, first: 2, after })) as { data: Any };
    return outcome.data.customers;
  };
  const first = await read(null);
  const second = await read(first.pageInfo.endCursor);
  const names = [first, second].map(({ edges }) => edges.map(({ node }: Any) => node.first_name));
  expect(names, name).toEqual([['Meera', 'Leela'], ['Asha']]);
  expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage], name).toEqual([3, true, false]);
}
