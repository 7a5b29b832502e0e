// Hybrid logical clocks: times that follow the wall clock and never fall behind anything seen, so that a write made after another one
// was seen always sorts behind it, however wrong the clocks are. (Kulkarni et al., "Logical Physical Clocks", 2014.)

/** Sorts as text by time, then by count, then by who wrote. */
export type Hlc = string;

const TIME_DIGITS = 10;
const COUNT_DIGITS = 4;
const COUNTS = 36 ** COUNT_DIGITS;

const digits = (value: number, length: number) => value.toString(36).padStart(length, '0');

/** The next time. `now`: wall clock, ms since 1970. `seen`: the highest time known, if any. `node`: who writes, without dots. */
export function nextHlc(now: number, node: string, seen: Hlc | null): Hlc {
  const before = seen === null ? null : readHlc(seen);
  let time = Math.max(0, Math.floor(now));
  let count = 0;
  if (before && before.time >= time) {
    time = before.time;
    count = before.count + 1;
    if (count >= COUNTS) [time, count] = [time + 1, 0];
  }
  return `${digits(time, TIME_DIGITS)}.${digits(count, COUNT_DIGITS)}.${node}`;
}

/** Parts of a time; null where the text is none. */
export function readHlc(text: string): { time: number; count: number; node: string } | null {
  const [, time, count, node] = /^([0-9a-z]{10})\.([0-9a-z]{4})\.([^.]*)$/.exec(text) ?? [];
  if (time === undefined || count === undefined || node === undefined) return null;
  return { time: Number.parseInt(time, 36), count: Number.parseInt(count, 36), node };
}
