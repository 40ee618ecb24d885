import { readFile } from 'node:fs/promises';
import { Answer, action, type Ctx } from '@chowk/kit';
import { fail } from './errors.ts';
import { createIdentitySecret, deleteIdentitySecret, getSetup } from './identity-tokens.ts';
import { checkMessage, listUpdates, markSeen, sendMessage, showTyping } from './messages.ts';
import {
  MessageAdded,
  NewIdentitySecret,
  NewSession,
  SeenMessage,
  SentMessage,
  SessionKey,
  UpdateQuery,
  Updates,
  WidgetConfig,
  WidgetSession,
  WidgetSetup,
} from './schemas.ts';
import { startSession } from './sessions.ts';

/** The sites that the tenant names, and its own address, for the preview. */
async function allowsOrigin(ctx: Ctx, origin: string): Promise<boolean> {
  const { 'widget.allowed_origins': origins } = await ctx.settings();
  return origins.includes(origin) || URL.parse(origin)?.host === ctx.client.host;
}

async function mustBeEnabled(ctx: Ctx): Promise<void> {
  if (!(await ctx.settings())['widget.enabled']) throw fail('widget.disabled');
}

/** Forms, which browsers send to other sites without asking first. */
const fromPage = {
  public: true,
  graphql: false,
  audited: false,
  accepts: 'form',
  allowsOrigin,
  guard: mustBeEnabled,
} as const;
const refusals = ['http.origin_forbidden', 'widget.disabled'];
const inSession = [...refusals, 'widget.unknown_session'];
const needsKeys = 'settings.api_clients';

export const actions = {
  'widget.getScript': action({
    summary: 'Get the script of the chat',
    description: 'For a page of the shop: `<script src="…/widget.js" async></script>`.',
    http: 'GET /widget.js',
    root: true,
    webPage: true,
    public: true,
    graphql: false,
    file: ['text/javascript'],
    run: async () => new Answer(await readScript(), { headers: scriptHeaders }),
  }),
  'widget.getConfig': action({
    summary: 'Get chat settings',
    http: 'GET /widget/config',
    public: true,
    graphql: false,
    allowsOrigin,
    guard: mustBeEnabled,
    output: WidgetConfig,
    errors: refusals,
    run: getConfig,
  }),
  'widget.start': action({
    ...fromPage,
    summary: 'Start a session of the chat',
    description:
      'For a visitor who is unknown, or whose identity a token of the shop proves. It lasts for 30 days after its last use.',
    http: 'POST /widget/sessions',
    limit: { perMinute: 20, by: 'network' },
    input: NewSession,
    output: WidgetSession,
    answer: { key: 'session', status: 201 },
    errors: [...refusals, 'widget.bad_identity', 'widget.too_many_sessions'],
    run: startSession,
  }),
  'widget.send': action({
    ...fromPage,
    summary: 'Send a message as a visitor',
    http: 'POST /widget/messages',
    accepts: 'multipart',
    limit: { perMinute: 60, by: 'network' },
    input: SentMessage,
    output: MessageAdded,
    answer: { key: 'widget_message', status: 201 },
    errors: [...inSession, 'widget.too_many_messages', 'conversations.no_customers'],
    check: checkMessage,
    run: sendMessage,
  }),
  'widget.listUpdates': action({
    ...fromPage,
    summary: 'Get the messages of a session',
    description:
      'Those that the visitor and the team wrote in the chat. The token is in the body, not in the address, which is logged.',
    http: 'POST /widget/updates',
    limit: { perMinute: 600, by: 'network' },
    input: UpdateQuery,
    output: Updates,
    errors: inSession,
    run: listUpdates,
  }),
  'widget.markSeen': action({
    ...fromPage,
    summary: 'Record that a visitor has read messages',
    description: 'All messages of the team up to this one.',
    http: 'POST /widget/seen',
    limit: { perMinute: 300, by: 'network' },
    input: SeenMessage,
    answer: { message: 'Recorded.' },
    errors: inSession,
    run: markSeen,
  }),
  'widget.showTyping': action({
    ...fromPage,
    summary: 'Show that a visitor is typing',
    http: 'POST /widget/typing',
    limit: { perMinute: 120, by: 'network' },
    input: SessionKey,
    answer: { message: 'Shown.' },
    errors: inSession,
    run: showTyping,
  }),
  'widget.getSetup': action({
    summary: 'Get the address of the script of the chat',
    http: 'GET /widget/setup',
    graphql: 'widgetSetup',
    needs: 'settings.view',
    output: WidgetSetup,
    answer: { key: 'setup' },
    run: getSetup,
  }),
  'widget.createIdentitySecret': action({
    summary: 'Create the secret for identity tokens',
    description: 'Replaces the one before, whose tokens are refused from now on.',
    http: 'POST /widget/identity-secret',
    graphql: 'createWidgetIdentitySecret',
    needs: needsKeys,
    output: NewIdentitySecret,
    answer: { message: 'Secret created.', status: 201 },
    run: createIdentitySecret,
  }),
  'widget.deleteIdentitySecret': action({
    summary: 'Delete the secret for identity tokens',
    description: 'Existing identity tokens stop working immediately.',
    http: 'DELETE /widget/identity-secret',
    graphql: 'deleteWidgetIdentitySecret',
    needs: needsKeys,
    answer: { message: 'Secret deleted.' },
    errors: ['widget.secret_not_found'],
    run: deleteIdentitySecret,
  }),
};

let script: Promise<string> | undefined;

function readScript(): Promise<string> {
  script ??= readFile(new URL('./script.js', import.meta.url), 'utf8');
  return script;
}

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=300',
  // Also for pages that embed only what allows it.
  'cross-origin-resource-policy': 'cross-origin',
};

async function getConfig(ctx: Ctx): Promise<WidgetConfig> {
  const [settings, { is_open }] = await Promise.all([ctx.settings(), ctx.bus.call('conversations.openingState', {})]);
  return {
    name: ctx.tenant.name,
    color: settings['widget.color'],
    position: settings['widget.position'],
    greeting: settings['widget.greeting'],
    opening_hours: settings['widget.opening_hours'],
    is_open,
    ask_for_email: settings['widget.ask_for_email'],
    realtime_key: ctx.realtimeKey,
  };
}
