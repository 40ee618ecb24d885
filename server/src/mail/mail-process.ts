import { parseMail } from './parse-mail.ts';

/* The program of a child process: reads the mails that it is sent, one after the other, and sends what they contain. */

interface Question {
  readonly mail: Uint8Array;
  readonly headersOnly: boolean;
}

process.on('disconnect', () => process.exit());
process.on('message', async ({ mail, headersOnly }: Question) => {
  process.send?.(await parseMail(mail, { headersOnly }));
});
