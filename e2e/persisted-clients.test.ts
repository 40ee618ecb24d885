import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, createRequest, fetchExchange, stringifyDocument } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { print } from 'graphql';
import { expect, test } from 'vitest';
import { type InstalledPlatform, startInstalledPlatform } from './platform.ts';

/* The clients' own implementations of persisted queries, as they are. */

/** The data of a query, or the codes of its errors. */
type Outcome = { data: unknown } | { codes: unknown[] };

interface GraphqlClient {
  readonly name: string;
  /** The text that the client sends for a query. */
  printQuery(query: string): string;
  run(query: string): Promise<Outcome>;
}

/** The body of a request. */
type Sent = { readonly query?: string };

function authHeaders({ token, tenant }: InstalledPlatform) {
  return { authorization: `Bearer ${token}`, 'x-tenant': tenant };
}

/** Sends requests and records their bodies. */
function recordingFetch(sent: Sent[]): typeof fetch {
  return (input, init) => {
    sent.push(JSON.parse(String(init?.body)));
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
    printQuery: (query) => print(gql(query)),
    async run(query) {
      try {
        return { data: (await client.query({ query: gql(query), fetchPolicy: 'no-cache' })).data };
      } catch (error) {
        if (!CombinedGraphQLErrors.is(error)) throw error;
        return { codes: error.errors.map(({ extensions }) => extensions?.code) };
      }
    },
  };
}

function urqlClient(platform: InstalledPlatform, sent: Sent[]): GraphqlClient {
  const client = new Client({
    url: `${platform.url}/api/v1/graphql`,
    fetchOptions: { headers: authHeaders(platform) },
    fetch: recordingFetch(sent),
    preferGetMethod: false,
    exchanges: [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange],
  });
  return {
    name: 'urql',
    printQuery: (query) => stringifyDocument(createRequest(query, {}).query),
    async run(query) {
      const { data, error } = await client.query(query, {}).toPromise();
      return error ? { codes: error.graphQLErrors.map(({ extensions }) => extensions.code) } : { data };
    },
  };
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
  for (const { name, run, printQuery } of clients) {
    sent.length = 0;
    expect(await run(registered), name).toMatchObject({ data: { __typename: 'Query' } });
    expect(await run(adHoc), name).toMatchObject({ data: { __typename: 'Query' } });
    const texts = sent.map(({ query }) => query);
    expect(texts, `${name} sends hashes, and a text after its hash was not found`).toEqual([
      undefined,
      undefined,
      printQuery(adHoc),
    ]);
  }
  await send('PATCH', '/settings', { 'graphql.persisted_queries_only': true });
  for (const { name, run } of clients) {
    expect(await run(registered), name).toMatchObject({ data: { __typename: 'Query' } });
    expect(await run(adHoc), name).toEqual({ codes: ['PERSISTED_QUERY_REQUIRED'] });
  }
});
