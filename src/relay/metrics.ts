// Counters of the relay in Prometheus' format. No names of rooms or accounts, which would reveal who is online when.

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

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

export interface Metrics {
  count(counter: Counter, by?: number): void;
  /** Records the time until an update was durable. */
  commit(seconds: number): void;
  /** `gauges`: name → current value. */
  render(gauges: Readonly<Record<string, number>>): string;
}

/** Makes the relay's counters and its histogram of commit times (seconds); `render` writes them in Prometheus' text format. */
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
      const slot = BUCKETS.findIndex((limit) => took <= limit);
      if (slot >= 0) histogram[slot] = (histogram[slot] ?? 0) + 1;
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
      let below = 0;
      BUCKETS.forEach((limit, index) => {
        below += histogram[index] ?? 0;
        lines.push(`${name}_bucket{le="${limit}"} ${below}`);
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
