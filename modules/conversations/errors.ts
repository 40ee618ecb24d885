import { defineErrors } from '@chowk/kit';

export const errors = {
  'conversations.not_found': { status: 404, message: 'There is no conversation {id}.' },
  'conversations.message_not_found': { status: 404, message: 'The conversation has no message {id}.' },
  'conversations.attachment_not_found': { status: 404, message: 'The conversation has no attachment {id}.' },
  'conversations.unknown_attachment': {
    status: 422,
    message: 'Upload each file before the message and name it once: an attachment does not exist or is already used.',
  },
  'conversations.answered_since': {
    status: 409,
    message: 'A colleague has answered since you read the conversation. Read it again before you answer.',
  },
  'conversations.closed': { status: 409, message: 'The conversation is closed. Reopen it before you snooze it.' },
  'conversations.other_customer': {
    status: 409,
    message: 'Only conversations of one customer can be merged. Merge the customers first.',
  },
  'conversations.not_failed': { status: 409, message: 'Only a message that could not be delivered is sent again.' },
  'conversations.not_deliverable': { status: 409, message: 'The message cannot be sent. {reason}' },
  'conversations.reply_not_found': { status: 404, message: 'There is no canned reply {id}.' },
  'conversations.too_many_replies': {
    status: 409,
    message: 'A tenant can have at most {max} canned replies. Delete one first.',
  },
  'conversations.no_customers': { status: 409, message: 'Conversations need the customers module. Enable it first.' },
} as const;

export const fail = defineErrors(errors);
