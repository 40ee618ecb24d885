import { action, ById, Line, Type } from '@chowk/kit';
import { checkPreset, listPresets, switchOnPreset } from './presets.ts';
import { checkRule, listRuleEvents } from './rule-check.ts';
import { pagedDeliveries } from './rule-deliveries.ts';
import { previewRule, testRule } from './rule-preview.ts';
import { NewRule, Rule, RuleChanges, RuleDelivery, RuleEvent, RulePreset, RulePreview, RuleTest } from './rule-schemas.ts';
import { checkChanges, createRule, deleteRule, getRule, ruleList, updateRule } from './rules.ts';

const needs = 'notifications.rules.manage';
const tag = 'Notification rules';

export const tags = { [tag]: 'Messages to customers and notifications of the team that events cause.' };

export const ruleActions = {
  'notifications.listRules': action({
    tag,
    summary: 'List notification rules',
    http: 'GET /notification-rules',
    graphql: 'notificationRules',
    needs,
    ...ruleList.paged,
  }),
  'notifications.listRuleEvents': action({
    tag,
    summary: 'List the events that rules can react to',
    description: 'With the fields for conditions and the placeholders for templates.',
    http: 'GET /notification-rules/events',
    graphql: 'notificationRuleEvents',
    needs,
    output: Type.Object({ events: Type.Array(RuleEvent) }),
    run: listRuleEvents,
  }),
  'notifications.listRulePresets': action({
    tag,
    summary: 'List the presets of notification rules',
    description: 'Mails to customers with a text that you can change. They are off until you switch them on.',
    http: 'GET /notification-rules/presets',
    graphql: 'notificationRulePresets',
    needs,
    output: Type.Object({ presets: Type.Array(RulePreset) }),
    run: listPresets,
  }),
  'notifications.switchOnRulePreset': action({
    tag,
    summary: 'Switch a preset on',
    description:
      'Creates its notification rule, or activates the one that exists and keeps its text. To switch it off, set `is_active` of ' +
      'the rule to false.',
    http: 'POST /notification-rules/presets/:key',
    graphql: 'switchOnNotificationRulePreset',
    needs,
    input: Type.Object({ key: Line(100, { examples: ['order_shipped'] }) }),
    output: Rule,
    answer: { key: 'rule', message: 'Notification rule switched on.' },
    errors: ['notifications.preset_not_found', 'notifications.rule_not_found', 'notifications.too_many_rules'],
    atomic: true,
    check: checkPreset,
    run: switchOnPreset,
  }),
  'notifications.getRule': action({
    tag,
    summary: 'Get a notification rule',
    http: 'GET /notification-rules/:id',
    graphql: 'notificationRule',
    needs,
    input: ById,
    output: Rule,
    answer: { key: 'rule' },
    errors: ['notifications.rule_not_found'],
    run: getRule,
  }),
  'notifications.createRule': action({
    tag,
    summary: 'Create a notification rule',
    description:
      'Templates contain `{{order_number}}`, `{{total}}` (with the currency), `{{customer_name}}`, `{{customer_email}}`, `{{customer_phone}}`, ' +
      '`{{tracking_number}}`, `{{tracking_url}}`, `{{refund_amount}}` and fields of the event by their path.',
    http: 'POST /notification-rules',
    graphql: 'createNotificationRule',
    needs,
    input: NewRule,
    output: Rule,
    answer: { key: 'rule', message: 'Notification rule created.', status: 201 },
    errors: ['notifications.too_many_rules'],
    atomic: true,
    check: checkRule,
    run: (ctx, rule) => createRule(ctx, rule),
  }),
  'notifications.updateRule': action({
    tag,
    summary: 'Update a notification rule',
    description: 'Fields that are not sent do not change.',
    http: 'PATCH /notification-rules/:id',
    graphql: 'updateNotificationRule',
    needs,
    input: RuleChanges,
    output: Rule,
    answer: { key: 'rule', message: 'Notification rule saved.' },
    errors: ['notifications.rule_not_found', 'http.precondition_failed'],
    atomic: true,
    check: checkChanges,
    run: updateRule,
  }),
  'notifications.deleteRule': action({
    tag,
    summary: 'Delete a notification rule',
    description: 'Deletes its deliveries too; those that are queued are not sent.',
    http: 'DELETE /notification-rules/:id',
    graphql: 'deleteNotificationRule',
    needs,
    input: ById,
    answer: { message: 'Notification rule deleted.' },
    errors: ['notifications.rule_not_found', 'http.precondition_failed'],
    run: deleteRule,
  }),
  'notifications.listRuleDeliveries': action({
    tag,
    summary: 'List the deliveries of a notification rule',
    description: 'Kept for `notifications.message_retention_days`.',
    http: 'GET /notification-rules/:id/deliveries',
    graphql: 'notificationRuleDeliveries',
    needs,
    errors: ['notifications.rule_not_found'],
    ...pagedDeliveries,
  }),
  'notifications.previewRule': action({
    tag,
    summary: 'Preview the message of a notification rule',
    description: 'Uses the latest order if you may see it, else made-up data. Nothing is saved or sent.',
    http: 'POST /notification-rules/preview',
    graphql: 'previewNotificationRule',
    needs,
    readOnly: true,
    input: NewRule,
    output: RulePreview,
    answer: { key: 'preview' },
    check: checkRule,
    run: previewRule,
  }),
  'notifications.testRule': action({
    tag,
    summary: 'Send a test of a notification rule',
    description: 'With made-up data, to yourself or to the address `to`. A test over SMS and WhatsApp needs `to`.',
    http: 'POST /notification-rules/:id/test',
    graphql: 'testNotificationRule',
    needs,
    input: RuleTest,
    output: RuleDelivery,
    answer: { key: 'delivery', message: 'Test queued.', status: 202 },
    errors: ['notifications.rule_not_found'],
    run: testRule,
  }),
};
