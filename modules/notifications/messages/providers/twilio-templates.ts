import { type Ctx, Failure, type Static, Type } from '@chowk/kit';
import { storedProvider, twilioAuthorization } from './accounts.ts';
import { readField } from './post.ts';

const WhatsAppTemplate = Type.Object({
  id: Type.String(),
  name: Type.String(),
  language: Type.String(),
  body: Type.String(),
  variables: Type.Array(Type.Object({ name: Type.String(), example: Type.String() })),
});
type WhatsAppTemplate = Static<typeof WhatsAppTemplate>;

export const WhatsAppTemplates = Type.Object({
  templates: Type.Array(WhatsAppTemplate),
  /** Why they could not be read; null if they were. */
  reason: Type.Union([Type.String(), Type.Null()]),
});
type WhatsAppTemplates = Static<typeof WhatsAppTemplates>;

const limits = { timeoutMs: 15_000, maxBytes: 2_000_000, maxRedirects: 0 };
const unreadable = (reason: string): WhatsAppTemplates => ({ templates: [], reason });

/** The texts that WhatsApp has approved: https://www.twilio.com/docs/content/content-api-resources */
export async function listTemplates(ctx: Ctx): Promise<WhatsAppTemplates> {
  const account = await storedProvider(ctx, 'twilio');
  if (!account) return unreadable('Twilio is not set up.');
  // Templates have a host of their own. A proxy serves both.
  const url = `${ctx.options.twilioUrl.replace('//api.', '//content.')}/v1/ContentAndApprovals?PageSize=200`;
  try {
    const headers = { authorization: twilioAuthorization(ctx, account) };
    const response = await ctx.http.request(url, { headers, ...limits });
    if (response.status !== 200) return unreadable(`Twilio answered with the status ${response.status}.`);
    const contents = readField(response, 'contents');
    return { templates: (Array.isArray(contents) ? contents : []).flatMap(readTemplate), reason: null };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return unreadable(error.message);
  }
}

interface Content {
  readonly sid?: unknown;
  readonly friendly_name?: unknown;
  readonly language?: unknown;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly types?: Readonly<Record<string, { readonly body?: unknown } | null>> | null;
  readonly approval_requests?: { readonly status?: unknown } | null;
}

/** Nothing if it is not approved or has no text. */
function readTemplate(content: Content | null): WhatsAppTemplate[] {
  const { sid, friendly_name, language, variables, types, approval_requests } = content ?? {};
  const body = Object.values(types ?? {}).find((type) => typeof type?.body === 'string')?.body;
  const isUsable = typeof sid === 'string' && /^HX[0-9a-f]{32}$/.test(sid) && approval_requests?.status === 'approved';
  if (!isUsable || typeof body !== 'string') return [];
  const used = [...body.matchAll(/\{\{(\w{1,32})\}\}/g)].map(([, name = '']) => name);
  const names = [...new Set([...used, ...Object.keys(variables ?? {})])];
  return [
    {
      id: sid,
      name: String(friendly_name ?? sid),
      language: String(language ?? ''),
      body,
      variables: names.map((name) => ({ name, example: String(variables?.[name] ?? '') })),
    },
  ];
}
