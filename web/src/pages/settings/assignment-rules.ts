import type { Channel } from '../conversations/conversation-list.ts';

/** One of the setting `conversations.assignment_rules`. */
export interface AssignmentRule {
  readonly channel?: Channel;
  readonly words?: readonly string[];
  readonly assignee_id: number;
}

/** As it is in the fields of a form. */
export interface EditedRule {
  readonly channel: string;
  /** With commas. */
  readonly words: string;
  readonly assignee_id: string;
}

export function editedRule({ channel, words = [], assignee_id }: AssignmentRule): EditedRule {
  return { channel: channel ?? '', words: words.join(', '), assignee_id: String(assignee_id) };
}

/** Throws what has to be corrected. */
export function toRule({ channel, words: text, assignee_id }: EditedRule, index: number): AssignmentRule {
  if (assignee_id === '') throw new Error(`Choose the member of rule ${index + 1}, or remove it.`);
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  return {
    ...(channel !== '' && { channel: channel as Channel }),
    ...(words.length > 0 && { words }),
    assignee_id: Number(assignee_id),
  };
}
