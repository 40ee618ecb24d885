import type { AuditEntry } from '@chowk/client';

/** What a record is called in a sentence, and whether it is known by a name. */
export type ThingKind = 'order' | 'customer' | 'product' | 'conversation' | 'member';

/**
 * What actions do, by their name: a verb, and in braces the record with the id of the entry. Others are described by the words of
 * their name.
 */
const phrases: Readonly<Record<string, string>> = {
  'orders.create': 'create {order}',
  'orders.update': 'change {order}',
  'orders.updateStatus': 'change the status of {order}',
  'orders.cancel': 'cancel {order}',
  'orders.refund': 'refund {order}',
  'orders.delete': 'delete {order}',
  'orders.export': 'export orders',
  'orders.addPayment': 'record a payment of {order}',
  'orders.updatePayment': 'change a payment of {order}',
  'orders.createShipment': 'ship items of {order}',
  'orders.updateShipment': 'change a shipment of {order}',
  'orders.cancelShipment': 'cancel a shipment of {order}',
  'orders.createDraft': 'create a draft order',
  'orders.updateDraft': 'change a draft order',
  'orders.deleteDraft': 'delete a draft order',
  'orders.placeDraft': 'create an order from a draft',
  'customers.create': 'add {customer}',
  'customers.update': 'change {customer}',
  'customers.merge': 'merge {customer} with another customer',
  'customers.delete': 'delete {customer}',
  'customers.export': 'export customers',
  'customers.exportPerson': 'export all data about {customer}',
  'customers.addTags': 'add tags to customers',
  'customers.removeTags': 'remove tags from customers',
  'customers.addAddress': 'add an address of {customer}',
  'customers.updateAddress': 'change an address of {customer}',
  'customers.deleteAddress': 'delete an address of {customer}',
  'customers.setDefaultAddress': 'change the default address of {customer}',
  'customers.reveal': 'look up the phone of {customer}',
  'products.create': 'add {product}',
  'products.update': 'change {product}',
  'products.delete': 'delete {product}',
  'products.import': 'import products',
  'products.export': 'export products',
  'products.changeStock': 'change the stock of {product}',
  'products.changeVariantStock': 'change the stock of a variant',
  'products.transferStock': 'move stock to another location',
  'products.addImage': 'add an image of {product}',
  'products.addVariant': 'add a variant of {product}',
  'conversations.create': 'start {conversation}',
  'conversations.update': 'change the subject of {conversation}',
  'conversations.reply': 'reply in {conversation}',
  'conversations.close': 'close {conversation}',
  'conversations.reopen': 'reopen {conversation}',
  'conversations.assign': 'assign {conversation}',
  'conversations.updateStatus': 'change the status of {conversation}',
  'conversations.delete': 'delete {conversation}',
  'settings.update': 'change settings',
  'organization.update': 'rename the organization',
  'invitations.create': 'invite a colleague',
  'invitations.delete': 'withdraw an invitation',
  'team.update': 'change the role of {member}',
  'team.remove': 'remove {member}',
  'apiClients.rotateSecret': 'replace the secret of an API client',
  'webhooks.rotateSecret': 'replace the secret of a webhook',
  'webhooks.test': 'send a test event to a webhook',
  'webhooks.redeliver': 'send an event to a webhook again',
  'audit.export': 'export the audit log',
  'activity.export': 'export the activity of accounts',
  'domains.create': 'add a domain',
  'domains.delete': 'remove a domain',
  'demo.fill': 'add demo data',
  'rings.assign': 'move the organization to another ring',
  'notifications.switchOnRulePreset': 'switch on a mail to customers',
  'payments.saveProvider': 'save the keys of a payment provider',
  'payments.deleteProvider': 'delete the keys of a payment provider',
  'payments.testProvider': 'test the keys of a payment provider',
  'invoices.issue': 'issue an invoice',
};

/** Actions that people ask about, unlike those of the platform itself. */
export function isNotable({ action }: Pick<AuditEntry, 'action'>): boolean {
  return action in phrases;
}

/** `cancelled `, the order, and what follows it. */
export interface Sentence {
  readonly before: string;
  readonly thing: ThingKind | undefined;
  readonly after: string;
}

/** What the user has done, or has tried to do, without their name: `cancelled {order}`. */
export function describeChange(entry: Described): Sentence {
  const text = inTense(findPhrase(entry), entry.outcome);
  const [, before = text, thing, after = ''] = /^(.*)\{(\w+)\}(.*)$/.exec(text) ?? [];
  return { before, thing: thing as ThingKind | undefined, after };
}

type Described = Pick<AuditEntry, 'action' | 'outcome' | 'input' | 'changes'>;

function inTense(phrase: string, outcome: AuditEntry['outcome']): string {
  if (outcome === 'refused') return `was not allowed to ${phrase}`;
  if (outcome === 'failed') return `could not ${phrase}`;
  return phrase.replace(/^\w+/, toPast);
}

function findPhrase({ action, input, changes }: Described): string {
  const { status, field } = (input ?? {}) as { status?: unknown; field?: unknown };
  if (action === 'orders.updateStatus' && typeof status === 'string') return `mark {order} as ${status}`;
  if (action === 'customers.reveal') return `look up the ${field === 'email' ? field : 'phone'} of {customer}`;
  const phrase = phrases[action] ?? phraseFromName(action);
  return phrase.startsWith('change {') ? phrase.replace('change ', `change ${listFields(changes)}`) : phrase;
}

const fieldNames: Readonly<Record<string, string>> = {
  accepts_marketing: 'marketing consent',
  external_ids: 'ids on other platforms',
  placed_at: 'date',
  sku: 'SKU',
};
const maxFields = 3;

/** `the first name and email of `, or nothing if they are not recorded. */
function listFields(changes: unknown): string {
  const names = Object.keys((changes ?? {}) as object).map((name) => fieldNames[name] ?? name.replaceAll('_', ' '));
  if (names.length === 0) return '';
  const shown = names.length > maxFields ? [...names.slice(0, maxFields - 1), 'other fields'] : names;
  const last = shown.at(-1);
  return `the ${shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`} of `;
}

const synonyms: Readonly<Record<string, string>> = { update: 'change', rotate: 'replace', set: 'change', fill: 'add' };
const areaNames: Readonly<Record<string, string>> = { twoFactor: 'two-factor authentication', team: 'members' };

/** `pricing.createTaxRate` is `create a tax rate`, `webhooks.create` is `create a webhook`. */
function phraseFromName(action: string): string {
  const [area = '', name = ''] = action.split('.');
  const [verb = 'use', ...noun] = splitWords(name);
  const thing = noun.length > 0 ? noun.join(' ') : singular(areaNames[area] ?? splitWords(area).join(' '));
  return `${synonyms[verb] ?? verb} ${withArticle(thing)}`;
}

function splitWords(name: string): string[] {
  return name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\bapi\b/, 'API')
    .split(/[ _-]+/);
}

function singular(text: string): string {
  return text.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');
}

function withArticle(text: string): string {
  if (/(s|authentication|stock)$/.test(text)) return text;
  return `${/^[aeiou]/i.test(text) ? 'an' : 'a'} ${text}`;
}

const irregular: Readonly<Record<string, string>> = {
  cancel: 'cancelled',
  begin: 'began',
  end: 'ended',
  find: 'found',
  get: 'got',
  put: 'put',
  reset: 'reset',
  resend: 'resent',
  run: 'ran',
  send: 'sent',
  ship: 'shipped',
  submit: 'submitted',
  transfer: 'transferred',
  undo: 'undid',
  withdraw: 'withdrew',
};

function toPast(verb: string): string {
  return (
    irregular[verb] ??
    verb
      .replace(/(?<![aeo])y$/, 'i')
      .replace(/e$/, '')
      .concat('ed')
  );
}
