-- The mail about a refund is sent when the refund has succeeded.
UPDATE notification_rules SET event = 'order.refund_settled',
  conditions = conditions || '[{"field": "refund.status", "operator": "eq", "value": "succeeded"}]'::jsonb
WHERE preset = 'order_refunded' AND event = 'order.refunded';
