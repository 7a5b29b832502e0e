// What the relay says to whoever runs it: one JSON object a line. Names of rooms and accounts, tokens and query strings are never handed
// to it; of an error only its kind and its words.

export interface Log {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void;
  /** Somebody should look. */
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

const plain = (value: unknown): unknown =>
  value instanceof Error ? `${value.name}: ${value.message}`.slice(0, 300) : value;

export function createLog(write: (line: string) => void = console.info): Log {
  const say =
    (level: string) =>
    (event: string, facts: Readonly<Record<string, unknown>> = {}) => {
      const read = Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, plain(value)]));
      write(JSON.stringify({ time: new Date().toISOString(), level, event, ...read }));
    };
  return { info: say('info'), warn: say('warn') };
}
