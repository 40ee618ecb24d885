import { defineModule, Nullable, type OperationTypes, operation, Type, Uuid } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { announceTyping, listeners } from './messages.ts';
import { planForVisitor, sessionJobs } from './sessions.ts';
import { settings } from './settings.ts';

const operations = {
  'widget.plan': operation({
    summary: 'Find out whether the visitor of a conversation is there',
    description: '`null` if the conversation has no visitor, or the session has expired.',
    input: Type.Object({ conversation_id: Uuid }),
    output: Nullable(Type.Object({ is_present: Type.Boolean() })),
    run: planForVisitor,
  }),
  'widget.announceTyping': operation({
    summary: 'Show a chat visitor that the team is typing',
    input: Type.Object({ conversation_id: Uuid, author: Type.String() }),
    run: announceTyping,
  }),
};

export const module = defineModule({ actions, operations, settings, errors, listeners, jobs: sessionJobs });

declare module '@chowk/kit/catalogue' {
  interface Operations {
    widget: OperationTypes<typeof actions & typeof operations>;
  }
}
