import type { ErrorKind, Module } from '@chowk/kit';
import { kernelErrors } from '../server/src/errors.ts';

/** `docs/errors.md`: every failure a caller can meet, from the registries that make them. */
export function errorsDoc(modules: readonly Module[]): string {
  const registries = [kernelErrors, ...modules.map(({ errors }) => errors ?? {})];
  const rows = registries
    .flatMap((registry) => Object.entries<ErrorKind>(registry))
    .map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`);
  return `# Errors

Made by \`npm run generate\` from the registries in the code; do not edit.

Every error answer is JSON with a \`message\` for people and a \`code\` for programs. A refused input (422) also carries
\`errors\`, a map of field names (dots for nested fields) to messages. From 500 on it carries \`request_id\`, the same as
the header \`X-Request-Id\`: quote it when you ask for help. A word in braces stands for a detail of the case at hand.

| code | status | message |
|---|---|---|
${rows.join('\n')}
`;
}
