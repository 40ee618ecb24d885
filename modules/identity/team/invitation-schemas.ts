import { Email, Nullable, named, type Static, Timestamp, Type, Uuid } from '@chowk/kit';
import { ChosenPassword } from '../profile/new-password.ts';
import { Name, Password, TokenAnswer, UserSummary } from '../schemas.ts';
import { UserReference } from '../user-reference.ts';
import { RoleReference } from './team-schemas.ts';

export const Invitation = named(
  'Invitation',
  Type.Object({
    id: Uuid,
    email: Type.String(),
    role: Type.String({ examples: ['Agent'] }),
    invited_by: Nullable(UserReference),
    created_at: Timestamp,
    updated_at: Timestamp,
    expires_at: Timestamp,
  }),
);
export type Invitation = Static<typeof Invitation>;

export const NewInvitation = named('NewInvitation', Type.Object({ email: Email, role: RoleReference }));
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationToken = Type.Object({
  invitation: Type.String({ minLength: 1, maxLength: 200, description: 'The token of the mailed link.' }),
});
export type InvitationToken = Static<typeof InvitationToken>;

export const OpenInvitation = named(
  'OpenInvitation',
  Type.Object({
    email: Type.String(),
    role: Type.String({ examples: ['Agent'] }),
    tenant: Type.Object({ id: Type.String(), name: Type.String() }),
    invited_by: Type.String(),
    expires_at: Timestamp,
    account_exists: Type.Boolean({ description: 'Whether an account with this address exists.' }),
  }),
);

export const Acceptance = named(
  'InvitationAcceptance',
  Type.Object({
    ...InvitationToken.properties,
    name: Type.Optional(Name),
    password: Type.Optional(Password),
    password_confirmation: Type.Optional(Password),
  }),
);
export type Acceptance = Static<typeof Acceptance>;

export const NewAccount = Type.Object({ name: Name, ...ChosenPassword.properties });
export type NewAccount = Static<typeof NewAccount>;

export const Accepted = named(
  'AcceptedInvitation',
  Type.Object({
    account_created: Type.Boolean(),
    tenant: OpenInvitation.properties.tenant,
    user: UserSummary,
    ...Type.Partial(TokenAnswer).properties,
  }),
);
export type Accepted = Static<typeof Accepted>;
