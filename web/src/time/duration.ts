const [minute, hour, day] = [60, 3_600, 86_400];

/** `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`; a dash for none. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < minute) return `${Math.round(seconds)} s`;
  if (seconds < hour) return `${Math.round(seconds / minute)} min`;
  return seconds < day ? join(seconds, [hour, 'h'], [minute, 'min']) : join(seconds, [day, 'd'], [hour, 'h']);
}

type Unit = readonly [seconds: number, name: string];

/** In the smaller of both units, rounded. */
function join(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const total = Math.round(seconds / small) * small;
  const rest = (total % large) / small;
  const whole = `${Math.floor(total / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}
