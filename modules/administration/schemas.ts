import { Line, Nullable, named, type Static, Timestamp, Type, Uuid } from '@chowk/kit';

const settingsExample = { 'general.currency': 'INR' };

export const SettingValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Dotted keys to values.',
  examples: [settingsExample],
});

export const SettingsChanges = Type.Object(
  {},
  { additionalProperties: true, title: 'SettingsChanges', examples: [settingsExample] },
);

export const DescribedSetting = named(
  'DescribedSetting',
  Type.Object({
    key: Type.String({ examples: ['general.currency'] }),
    description: Type.String(),
    schema: Type.Unknown({ description: 'The JSON schema of its values.', examples: [{ type: 'string' }] }),
    default: Type.Unknown({ examples: ['INR'] }),
  }),
);
export type DescribedSetting = Static<typeof DescribedSetting>;

export const Domain = named(
  'Domain',
  Type.Object({ domain: Type.String(), kind: Type.Enum(['random', 'alias']), created_at: Timestamp }),
);
export type Domain = Static<typeof Domain>;

const Label = Line(63, { description: 'One label below the base domain.' });

export const NewDomain = named('NewDomain', Type.Object({ domain: Label }));

export const ByDomain = Type.Object({ domain: Label });

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Uuid,
    at: Type.String({ ...Timestamp, description: 'When the call began.' }),
    transport: Type.Enum(['rest', 'bus', 'graphql', 'mcp', 'job', 'command', 'system']),
    user_id: Nullable(Type.Integer({ description: 'The calling user; null for a call of the platform.' })),
    module: Nullable(Type.String({ description: 'The calling module; null for a call from outside.' })),
    action: Type.String({ examples: ['orders.update'] }),
    resource: Type.String({ examples: ['orders'] }),
    resource_id: Nullable(Type.String()),
    outcome: Type.Enum(['ok', 'refused', 'failed']),
    error_code: Nullable(Type.String()),
    request_id: Type.String(),
    duration_ms: Type.Number(),
    input: Type.Unknown({ description: 'The input; secrets and personal data are masked.' }),
    changes: Type.Unknown({ description: 'By field, the value before and after, if the action records it.' }),
    updated_at: Type.String({ ...Timestamp, description: 'When the entry was written or completed.' }),
  }),
);
