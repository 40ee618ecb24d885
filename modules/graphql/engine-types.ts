import type { SystemServices } from '@chowk/kit';

type Engine = SystemServices['graphql'];

export type GraphqlOperation = Parameters<Engine['execute']>[1];
export type GraphqlResult = Awaited<ReturnType<Engine['execute']>>;
export type GraphqlError = NonNullable<GraphqlResult['errors']>[number];
export type GraphqlSubscription = Extract<Awaited<ReturnType<Engine['subscribe']>>, { readonly event: string }>;
