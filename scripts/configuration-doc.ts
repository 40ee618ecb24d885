import { type DocumentedVariable, documentedVariables } from '../server/src/config/config.ts';

/** The text of `docs/configuration.md`. */
export function configurationDoc(): string {
  return `# Configuration

Chowk is configured by environment variables and needs none of them to start. They are read once, when the process
starts. White space around a value is ignored, and an empty value counts as unset. A wrong value stops the start with one
line that names the variable and what is allowed.

Secrets, and passwords in URLs, are left out of that line. In the password of a URL, \`/ ? # @ %\` and white space are
percent-encoded: \`p@ss\` is written \`p%40ss\`.

| variable | meaning | allowed | default |
|---|---|---|---|
${documentedVariables().map(row).join('\n')}

This page is generated from \`server/src/config/config.ts\`.
`;
}

function row({ name, help, allowed, default: byDefault, secret }: DocumentedVariable): string {
  const cells = [`\`${name}\``, secret ? `${help} **Secret.**` : help, allowed, byDefault];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
