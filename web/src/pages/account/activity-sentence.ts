import type { OwnActivityEntry } from '@chowk/client';

type Details = OwnActivityEntry['details'];

const fieldNames: Readonly<Record<string, string>> = { name: 'name', locale: 'language', timezone: 'time zone' };

const sentences: Readonly<Record<string, string | ((details: Details) => string)>> = {
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  session_revoked: 'Ended a session',
  other_sessions_revoked: 'Signed out everywhere else',
  profile_updated: ({ fields }) => `Changed ${listFields(fields)}`,
  password_changed: 'Changed the password',
  password_reset: 'Chose a new password with a link from an email',
  email_changed: ({ new: email }) => `Asked to change the email address to ${email}`,
  email_verified: ({ email }) => `Verified the email address ${email}`,
  email_change_undone: ({ new: email }) => `Undid the change of the email address, back to ${email}`,
  two_factor_enabled: 'Turned two-factor authentication on',
  two_factor_disabled: 'Turned two-factor authentication off',
  recovery_codes_renewed: 'Created new recovery codes',
  token_created: ({ name }) => `Created the access token ${name}`,
  token_revoked: ({ name }) => `Revoked the access token ${name}`,
  device_approved: 'Connected a device',
  device_denied: 'Refused to connect a device',
  invitation_accepted: ({ role }) => `Joined an organization as ${role}`,
  invitation_revoked: ({ email }) => `Withdrew the invitation of ${email}`,
  member_invited: ({ email, role }) => `Invited ${email} as ${role}`,
  organization_renamed: 'Renamed the organization',
  api_client_created: ({ name }) => `Created the API client ${name}`,
  api_client_deleted: ({ name }) => `Deleted the API client ${name}`,
  app_created: ({ name }) => `Registered the app ${name}`,
  app_updated: ({ name }) => `Changed the app ${name}`,
  app_secret_rotated: ({ name }) => `Replaced the secret of the app ${name}`,
  app_deleted: ({ name }) => `Deleted the app ${name}`,
  app_approved: ({ name }) => `Connected the app ${name}`,
  app_removed: ({ name }) => `Ended the access of the app ${name}`,
  role_created: ({ name }) => `Created the role ${name}`,
  role_updated: ({ name }) => `Changed the role ${name}`,
  role_deleted: ({ name }) => `Deleted the role ${name}`,
};

/** What the user did. An action that has no sentence is shown by its name. */
export function describeActivity({ action, details }: Pick<OwnActivityEntry, 'action' | 'details'>): string {
  const sentence = sentences[action];
  if (sentence === undefined) return capitalize(action.replaceAll('_', ' '));
  return typeof sentence === 'string' ? sentence : sentence(details);
}

function listFields(fields: unknown): string {
  const names = Array.isArray(fields) ? fields.map((field) => fieldNames[field] ?? String(field)) : [];
  return names.length === 0 ? 'the profile' : `the ${names.join(' and the ')}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
