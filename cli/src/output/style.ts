import type { CommandInput } from '../command.ts';
import type { Environment } from '../environment.ts';

type Color = 'green' | 'yellow' | 'red' | 'dim' | 'bold';
const codes: Readonly<Record<Color, string>> = { green: '32', yellow: '33', red: '31', dim: '2', bold: '1' };

const statusColors: Readonly<Record<string, Color>> = {
  ...color(
    'green',
    'active',
    'confirmed',
    'delivered',
    'completed',
    'verified',
    'open',
    'ok',
    'success',
    'healthy',
    'in_stock',
  ),
  ...color(
    'yellow',
    'pending',
    'processing',
    'shipped',
    'submitted',
    'provisioning',
    'draft',
    'running',
    'warning',
    'snoozed',
  ),
  ...color('red', 'cancelled', 'failed', 'rejected', 'refunded', 'error', 'denied', 'suspended', 'critical', 'refused'),
  ...color('dim', 'closed', 'archived', 'inactive', 'revoked'),
};

function color(name: Color, ...statuses: string[]): Record<string, Color> {
  return Object.fromEntries(statuses.map((status) => [status, name]));
}

/** Adds colors on a terminal, unless the user wants none. */
export interface Style {
  paint(text: string, color: Color): string;
  /** The color of a status; other values stay as they are. */
  status(text: string, value?: string): string;
}

export function createStyle({ stdout, variables }: Environment, options: CommandInput['options']): Style {
  const isColored = stdout.isTerminal && !options['no-color'] && !variables.NO_COLOR && variables.TERM !== 'dumb';
  const paint = (text: string, name: Color) => (isColored ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  return {
    paint,
    status(text, value = text) {
      const name = statusColors[value];
      return name ? paint(text, name) : text;
    },
  };
}
