import { extend, Line, Nullable, named, type Static, Timestamp, Type, updateSchema } from '@chowk/kit';
import { Confirmation } from '../profile/own-session.ts';
import { UserReference } from '../user-reference.ts';

export const Scopes = Type.Array(Line(100), {
  minItems: 1,
  maxItems: 200,
  distinct: true,
  description: 'Names of permissions.',
  examples: [['orders.view']],
});

export const RedirectUris = Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
  minItems: 1,
  maxItems: 10,
  distinct: true,
  description:
    'Where users return to after they decide. A request must name one of them exactly. `https`, `http` of the own machine ' +
    '(`localhost`, `127.0.0.1`, `[::1]`), or the scheme of an installed program, such as `com.example.app:/done`.',
  examples: [['https://erp.example.com/chowk/callback']],
});

const shared = {
  name: Line(255, { examples: ['Ledger sync'] }),
  redirect_uris: RedirectUris,
  scopes: Type.Array(Line(100), { ...Scopes, description: 'The permissions that the app may request.' }),
};

export const NewApp = named(
  'NewApp',
  Type.Object({
    ...shared,
    acts_as: Type.Enum(['user', 'organization'], {
      description:
        '`user`: it acts as the user who approves it, and never has more rights. `organization`: it acts as a member of its ' +
        'own, for work that concerns no single user; approving it needs `settings.api_clients`.',
    }),
    has_secret: Type.Boolean({
      description: 'Whether it can keep a secret. Programs on the computers of users and in browsers cannot.',
    }),
  }),
);
export type NewApp = Static<typeof NewApp>;

export const AppKey = Type.Object({ id: Line(64, { description: 'The client_id.' }) });
export type AppKey = Static<typeof AppKey>;

export const AppChanges = named(
  'AppChanges',
  extend(updateSchema(Type.Object(shared)), { ...AppKey.properties, ...Confirmation.properties }),
);
export type AppChanges = Static<typeof AppChanges>;

export const App = named(
  'App',
  extend(NewApp, {
    id: Type.String({ description: 'The client_id.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    created_by: Nullable(UserReference),
  }),
);
export type App = Static<typeof App>;

export const AppWithSecret = named(
  'AppWithSecret',
  Type.Object({ app: App, client_secret: Nullable(Type.String({ description: 'Shown only once.' })) }),
);
export type AppWithSecret = Static<typeof AppWithSecret>;

export const Publisher = Nullable(
  Type.String({
    description:
      'The organization that has registered the app. Null: it has registered itself, and its name is not verified.',
  }),
);

export const AppGrant = named(
  'AppGrant',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    app: Type.Object({ id: Type.String(), name: Type.String(), publisher: Publisher }),
    tenant_id: Type.String(),
    acts_as: NewApp.properties.acts_as,
    scopes: Type.Array(Type.String(), {
      description: 'The permissions that were approved. They have an effect while the user who approved it holds them.',
    }),
    approved_by: Nullable(UserReference),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_used_at: Nullable(Type.String({ format: 'date-time' })),
  }),
);
export type AppGrant = Static<typeof AppGrant>;
