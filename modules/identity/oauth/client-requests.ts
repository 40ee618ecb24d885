import {
  byTime,
  columnsFor,
  equals,
  list,
  named,
  type SystemCtx,
  since,
  sql,
  Timestamp,
  Type,
  until,
} from '@chowk/kit';
import { getGrantedApp } from '../apps/app-grants.ts';
import { getApiClient } from './api-clients.ts';

const ClientRequest = named(
  'ClientRequest',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    at: Timestamp,
    method: Type.String({ examples: ['GET'] }),
    path: Type.String({
      description: 'The path with the names of its parameters, without their values and the query.',
      examples: ['/api/v1/orders/:id'],
    }),
    status: Type.Integer({ examples: [200] }),
    duration_ms: Type.Number(),
    request_id: Type.String({ description: 'The `X-Request-Id` of the response, as in the audit log.' }),
    user_id: Type.Integer({ description: 'The user that the client acted as.' }),
    updated_at: Timestamp,
  }),
);

const requestList = list({
  name: 'requests',
  row: ClientRequest,
  from: sql`request_log l`,
  alias: sql`l`,
  columns: columnsFor(ClientRequest, sql`l`),
  scope: { id: equals(Type.String({ maxLength: 64 }), sql`l.client_id`) },
  filters: {
    method: equals(Type.String({ maxLength: 10 }), sql`l.method`),
    path: equals(Type.String({ maxLength: 255, description: 'A path as in the list.' }), sql`l.path`),
    status: equals(Type.Integer({ minimum: 100, maximum: 599 }), sql`l.status`),
    request_id: equals(Type.String({ maxLength: 255 }), sql`l.request_id`),
    from: since(sql`l.at`),
    to: until(sql`l.at`),
  },
  sorts: { at: byTime(sql`l.at`) },
});
type Query = Parameters<typeof requestList.page>[1];

export const requestsByClient = {
  input: requestList.Query,
  output: requestList.Page,
  async run(ctx: SystemCtx, query: Query) {
    await getApiClient(ctx, query);
    return requestList.page(ctx, query);
  },
};

/** Those of all users who have approved the app in this tenant. */
export const requestsByApp = {
  input: requestList.Query,
  output: requestList.Page,
  async run(ctx: SystemCtx, query: Query) {
    const id = await getGrantedApp(ctx, query);
    return requestList.page(ctx, { ...query, id });
  },
};
