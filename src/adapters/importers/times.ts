// Times as exports write them: seconds, milliseconds, microseconds or ISO text, recognised by magnitude.

/** The web had no chat exports before it; an earlier time is a mistake. */
const EARLIEST = Date.UTC(1995, 0, 1);
/** Fixed, not the clock's: a device whose clock is wrong must read the same dates, and make the same ids of them, as any other. */
const LATEST = Date.UTC(2100, 0, 1);
const HAS_ZONE = /(?:z|[+-]\d{2}:?\d{2})$/i;

/** ms since 1970; `impossible` where something is written that cannot be a time of a message; undefined where nothing is. */
export function timeOf(value: unknown): number | 'impossible' | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const ms =
    typeof value === 'number' ? fromNumber(value) : typeof value === 'string' ? fromText(value) : NaN;
  return ms >= EARLIEST && ms <= LATEST ? ms : 'impossible';
}

function fromNumber(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return Math.round(value * 1000);
  if (size < 1e14) return Math.round(value);
  if (size < 1e17) return Math.round(value / 1e3);
  return Math.round(value / 1e6);
}

function fromText(text: string): number {
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text.trim())) return fromNumber(Number(text));
  // Without a zone it is read as UTC: the same file must give the same times on every machine.
  const trimmed = text.trim().replace(' ', 'T');
  return Date.parse(HAS_ZONE.test(trimmed) || !trimmed.includes('T') ? trimmed : `${trimmed}Z`);
}

/**
 * Times for messages that stand one after the other: gaps are filled evenly between their neighbours, the ends take the nearest
 * known time. `fallback` where nothing is known at all.
 */
export function interpolated(times: readonly (number | undefined)[], fallback: number): number[] {
  const known = times.flatMap((time, at) => (time === undefined ? [] : [at]));
  const filled: number[] = [];
  let next = 0;
  for (let at = 0; at < times.length; at += 1) {
    while (next < known.length && (known[next] as number) < at) next += 1;
    const after = known[next];
    const before = after === at ? at : known[next - 1];
    const [a, b] = [
      before === undefined ? undefined : times[before],
      after === undefined ? undefined : times[after],
    ];
    if (a !== undefined && b !== undefined && before !== undefined && after !== undefined && after > before)
      filled.push(Math.round(a + ((b - a) * (at - before)) / (after - before)));
    else filled.push(a ?? b ?? fallback);
  }
  return filled;
}
