// Counts events of the relay and writes them in Prometheus' text format. It names no rooms or accounts,
// which would reveal who is online when.

/** Counters with their help texts. Operators' dashboards use these names, so they must not change. */
const COUNTERS = {
  connections_total: 'WebSocket connections accepted.',
  refused_total: 'Connections and requests refused before they were let in.',
  closed_by_relay_total: 'Connections that the relay closed because of a rule.',
  cut_unfinished_total: 'Connections that were cut as their unfinished messages took too much.',
  messages_total: 'Messages received.',
  updates_total: 'Updates made durable.',
  update_bytes_total: 'Bytes of updates made durable.',
  repeated_updates_total: 'Answers that held nothing new and were not stored.',
  sent_total: 'Messages sent.',
  snapshots_total: 'Logs made into one update.',
  rooms_refused_total: 'Rooms that could not be opened within their bounds.',
  erasures_total: 'Rooms and accounts erased.',
  store_errors_total: 'Calls of the store that failed.',
} as const;
type Counter = keyof typeof COUNTERS;

/** Upper bounds of the histogram of commit times, seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** The relay's counters since its start. */
export interface Metrics {
  /** Adds `by` to a counter; 1 if absent. */
  count(counter: Counter, by?: number): void;
  /** Adds the time until an update was durable to the histogram. */
  commit(seconds: number): void;
  /** Returns all figures as text. `gauges`: name → current value. */
  render(gauges: Readonly<Record<string, number>>): string;
}

/** Makes the relay's counters and its histogram of commit times, in Prometheus' text exposition format. */
export function createMetrics(): Metrics {
  const counts = new Map<Counter, number>();
  const histogram = BUCKETS.map(() => 0);
  let commits = 0;
  let seconds = 0;
  return {
    count(counter, by = 1) {
      counts.set(counter, (counts.get(counter) ?? 0) + by);
    },
    commit(took) {
      commits++;
      seconds += took;
      const bucket = BUCKETS.findIndex((limit) => took <= limit);
      if (bucket >= 0) histogram[bucket] = (histogram[bucket] ?? 0) + 1;
    },
    render(gauges) {
      const lines: string[] = [];
      for (const [name, help] of Object.entries(COUNTERS)) {
        lines.push(`# HELP recollect_relay_${name} ${help}`, `# TYPE recollect_relay_${name} counter`);
        lines.push(`recollect_relay_${name} ${counts.get(name as Counter) ?? 0}`);
      }
      for (const [name, value] of Object.entries(gauges))
        lines.push(`# TYPE recollect_relay_${name} gauge`, `recollect_relay_${name} ${value}`);
      const name = 'recollect_relay_commit_seconds';
      lines.push(`# HELP ${name} Time until an update was durable.`, `# TYPE ${name} histogram`);
      let upToLimit = 0;
      BUCKETS.forEach((limit, index) => {
        upToLimit += histogram[index] ?? 0;
        lines.push(`${name}_bucket{le="${limit}"} ${upToLimit}`);
      });
      lines.push(
        `${name}_bucket{le="+Inf"} ${commits}`,
        `${name}_sum ${seconds}`,
        `${name}_count ${commits}`,
      );
      return `${lines.join('\n')}\n`;
    },
  };
}
