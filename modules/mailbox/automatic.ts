import type { Ctx } from '@chowk/kit';

export type ReadMail = Awaited<ReturnType<Ctx['readMail']>>;

/** The first header with this name, or an empty text. */
export function header({ headers }: ReadMail, name: string): string {
  return headers.find((one) => one.name === name)?.value ?? '';
}

const programs = /^(mailer-daemon|postmaster|bounces?|daemon)([+.-].*)?@/i;
const subjects =
  /^(auto(matic)?[ -]?(reply|response)|out of (the )?office|abwesenheit|automatische antwort|réponse automatique|respuesta automática)\b/i;

/**
 * Whether a program has written the mail (RFC 3834): it must not be answered automatically, and no one is notified. Contact
 * forms send from no-reply addresses.
 */
export function isAutomatic(mail: ReadMail): boolean {
  const has = (name: string) => header(mail, name) !== '';
  return (
    /^(?!no\b)./i.test(header(mail, 'auto-submitted')) ||
    /^(bulk|junk|list|auto_reply)\b/i.test(header(mail, 'precedence')) ||
    /^(?!none\b)./i.test(header(mail, 'x-auto-response-suppress')) ||
    ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'list-id', 'list-unsubscribe'].some(has) ||
    header(mail, 'return-path') === '<>' ||
    programs.test(mail.from?.address ?? '') ||
    subjects.test(mail.subject)
  );
}
