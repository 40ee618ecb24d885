import { type SettingTypes, setting, Type } from '@chowk/kit';
import { AssignmentRules } from './assignment.ts';
import { OpeningHours } from './opening-hours.ts';

export const settings = {
  'conversations.reopen_days': setting({
    schema: Type.Integer({ minimum: 0, maximum: 365 }),
    default: 14,
    description:
      'A message of a customer reopens a conversation that was closed at most this many days ago; later, it begins a new one.',
  }),
  'conversations.assignment': setting({
    schema: Type.Enum(['off', 'round_robin']),
    default: 'off',
    description:
      'How unassigned conversations are assigned when a message comes in: not at all, or in turn to the available members who may answer.',
  }),
  'conversations.assignment_rules': setting({
    schema: AssignmentRules,
    default: [],
    description:
      'Before that: the first rule that fits assigns the conversation to its member, if they are available. A rule has a channel, words (one must occur in the subject or the message), or both.',
  }),
  'conversations.opening_hours': setting({
    schema: OpeningHours,
    default: [],
    description:
      'When the team answers, in the time zone of the tenant. Without any, always. Hours that end before they begin go on after midnight.',
  }),
  'conversations.holidays': setting({
    schema: Type.Array(Type.String({ format: 'date' }), {
      maxItems: 366,
      uniqueItems: true,
      examples: [['2026-12-25']],
    }),
    default: [],
    description: 'Days on which the team does not answer.',
  }),
  'conversations.closed_answer': setting({
    schema: Type.String({ maxLength: 5_000 }),
    default: '',
    description:
      'The automatic answer to messages outside the opening hours, at most once a day for a customer. Empty: none.',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
