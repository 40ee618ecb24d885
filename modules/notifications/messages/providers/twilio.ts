import type { Ctx } from '@chowk/kit';
import { storedProvider, twilioAuthorization } from './accounts.ts';
import { type HttpResponse, post, readField } from './post.ts';
import { linkFiles, type Provider, type Template } from './provider.ts';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    /** The API of Twilio, or a proxy of it. */
    readonly twilioUrl: string;
  }
}

/** Where Twilio reports on messages. Its signatures cover the address, so it is the same wherever the request came in. */
export function twilioCallbackUrl(ctx: Ctx, path: string): string {
  return `${ctx.tenantUrl}/api/v1/message-providers/twilio/${path}`;
}

const oneFile = 'WhatsApp takes one file with a message. Send each file in a message of its own.';

/** https://www.twilio.com/docs/messaging/api/message-resource */
export const twilio: Provider = async (ctx, message) => {
  const { id, channel, recipient, body, template } = message;
  const account = await storedProvider(ctx, 'twilio');
  const from = channel === 'sms' ? account?.options.sms_from : account?.options.whatsapp_from;
  if (!account || !from) return { status: 'failed', reason: `Twilio is not configured for ${channel}.` };
  const files = template ? [] : await linkFiles(ctx, message);
  if (channel === 'whatsapp' && files.length > 1) return { status: 'failed', reason: oneFile };
  const { account_sid: sid } = account.options;
  const address = (number: string) => (channel === 'whatsapp' ? `whatsapp:${number}` : number);
  const sender = from.startsWith('MG') ? { MessagingServiceSid: from } : { From: address(from) };
  const fields = new URLSearchParams({
    ...sender,
    To: address(recipient),
    ...(template ? templateFields(template) : { Body: body }),
    StatusCallback: twilioCallbackUrl(ctx, `status/${id}`),
  });
  for (const { url } of files) fields.append('MediaUrl', url);
  return post(ctx, {
    provider: 'Twilio',
    url: `${ctx.options.twilioUrl}/2010-04-01/Accounts/${sid}/Messages.json`,
    headers: {
      authorization: twilioAuthorization(ctx, account),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: fields.toString(),
    idIn: (response) => readId(readField(response, 'sid')),
    readDetail,
  });
};

function templateFields({ id, variables = {} }: Template): Record<string, string> {
  return { ContentSid: id, ContentVariables: JSON.stringify(variables) };
}

function readId(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null;
}

/** Only the code: the message may contain the phone number. */
function readDetail(response: HttpResponse): string {
  const code = readField(response, 'code');
  return Number.isInteger(code) ? ` and the error ${code} (https://www.twilio.com/docs/api/errors/${code})` : '';
}
