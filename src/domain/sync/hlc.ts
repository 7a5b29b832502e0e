// Hybrid logical clocks: times that follow the wall clock and never fall behind a known time, so that
// a write always sorts after the writes known before it, however wrong the clocks are. (Kulkarni et
// al., "Logical Physical Clocks", 2014.)

/** A text that sorts by time, then by count, then by writer. */
export type Hlc = string;

const TIME_DIGITS = 10;
const COUNT_DIGITS = 4;
const COUNTS = 36 ** COUNT_DIGITS;

const digits = (value: number, length: number) => value.toString(36).padStart(length, '0');

/**
 * Returns the next time. `now`: wall clock, ms since 1970. `seen`: the highest known time, if any. `node`: the
 * writer, without dots.
 */
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

/** Parses a time; null if the text is invalid. */
export function readHlc(text: string): { time: number; count: number; node: string } | null {
  const [, time, count, node] = /^([0-9a-z]{10})\.([0-9a-z]{4})\.([^.]*)$/.exec(text) ?? [];
  if (time === undefined || count === undefined || node === undefined) return null;
  return { time: Number.parseInt(time, 36), count: Number.parseInt(count, 36), node };
}
