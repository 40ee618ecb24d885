-- A visitor of the web chat sees only what was written there, or to the chat: not what a merge or a mail has added.
ALTER TABLE conversation_messages ADD COLUMN is_for_visitor boolean NOT NULL DEFAULT false;
