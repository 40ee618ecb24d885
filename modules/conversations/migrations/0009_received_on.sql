-- The channel that a message of the customer came in over, also after its conversation was merged. Null for messages that the team recorded.
ALTER TABLE conversation_messages ADD COLUMN received_on text;

-- WhatsApp allows free text for a day after such a message.
UPDATE conversation_messages m SET received_on = c.channel FROM conversations c
WHERE c.id = m.conversation_id AND c.channel = 'whatsapp' AND c.last_inbound_at > now() - interval '1 day'
  AND m.direction = 'inbound' AND m.external_id ~ '^(twilio|webhook):';
