// Measures the relay and prints JSON. The relay runs as a process of its own, its clients in this one, over loopback.
//   npx tsx test/bench/relay.ts [--rooms 5000] [--seconds 10] [--postgres]
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startPostgres } from '../relay/postgres.ts';
import {
  createKey,
  makeUpdate,
  openSocket,
  type RelayProcess,
  residentBytes,
  startRelay,
  stopAll,
  until,
  updateMessage,
  withFolder,
} from '../relay/support.ts';

const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    postgres: { type: 'boolean', default: false },
  },
});
const ROOMS = Number(values.rooms);
const SECONDS = Number(values.seconds);
const UPDATE_BYTES = 600;
const OPEN = String(1e9);
/** The limits are for strangers; here one client is thousands. */
const ENV = {
  RELAY_MAX_CONNECTIONS: OPEN,
  RELAY_MAX_CONNECTIONS_PER_IP: OPEN,
  RELAY_MAX_CONNECTIONS_PER_ACCOUNT: OPEN,
  RELAY_MAX_SOCKETS_PER_IP: OPEN,
  RELAY_HANDSHAKES_PER_SECOND: OPEN,
  RELAY_MESSAGES_PER_SECOND: OPEN,
  RELAY_ACCOUNT_MESSAGES_PER_SECOND: OPEN,
  RELAY_ACCOUNT_BYTES_PER_SECOND: OPEN,
};

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
const round = (value: number, digits = 2) => Number(value.toFixed(digits));

/** Seconds of processor time the process has used (user and system, all threads). */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The lowest of several looks: what is left when garbage was collected. */
async function settled(relay: RelayProcess): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 8; look++) {
    await pause(1000);
    lowest = Math.min(lowest, await residentBytes(relay));
  }
  return lowest;
}

/** Connections that sit in a room of their own and say nothing. */
async function idleRooms(relay: RelayProcess) {
  const key = createKey();
  // What the first connections cost is the program's, not the rooms'.
  const first = await Promise.all(
    Array.from({ length: 50 }, (_, index) => openIdle(relay, key, `warm-${index}`)),
  );
  const before = await settled(relay);
  const sockets: Awaited<ReturnType<typeof openIdle>>[] = [];
  while (sockets.length < ROOMS) {
    const names = Array.from(
      { length: Math.min(50, ROOMS - sockets.length) },
      (_, index) => `r-${sockets.length + index}`,
    );
    sockets.push(...(await Promise.all(names.map((name) => openIdle(relay, key, name)))));
  }
  const after = await settled(relay);
  const cpu = await processorSeconds(relay.pid);
  await pause(5000);
  const idle = ((await processorSeconds(relay.pid)) - cpu) / 5;
  for (const { socket } of [...first, ...sockets]) socket.terminate();
  const each = (after - before) / ROOMS;
  return {
    rooms: ROOMS,
    residentBeforeMB: round(before / 1e6, 1),
    residentAfterMB: round(after / 1e6, 1),
    bytesPerRoom: Math.round(each),
    roomsPer100MB: Math.round(100e6 / each),
    idleCoreShare: round(idle, 3),
  };
}

async function openIdle(relay: RelayProcess, key: ReturnType<typeof createKey>, room: string) {
  const opened = openSocket(relay, key, room);
  await opened.opened;
  await until('the greeting', () => opened.messages.length > 0, 60_000);
  return opened;
}

const isEcho = (message: Buffer) => message[0] === 0 && message[1] === 2;

/** `writers` rooms with a writer and a reader each; every writer keeps `ahead` updates under way. */
async function throughput(relay: RelayProcess, writers: number, ahead: number) {
  const key = createKey();
  const stock = Array.from({ length: 4000 }, () => updateMessage(makeUpdate(UPDATE_BYTES)));
  let echoes = 0;
  let heard = 0;
  let stopped = false;
  let next = 0;
  const latencies: number[] = [];
  const pairs = await Promise.all(
    Array.from({ length: writers }, async (_, index) => {
      const writer = await openIdle(relay, key, `busy-${index}`);
      const reader = await openIdle(relay, key, `busy-${index}`);
      const sent: number[] = [];
      const write = () => {
        sent.push(performance.now());
        writer.socket.send(stock[next++ % stock.length] as Buffer);
      };
      writer.socket.on('message', (message: Buffer) => {
        writer.messages.length = 0;
        if (!isEcho(message)) return;
        echoes++;
        latencies.push(performance.now() - (sent.shift() as number));
        if (!stopped) write();
      });
      reader.socket.on('message', (message: Buffer) => {
        reader.messages.length = 0;
        if (isEcho(message)) heard++;
      });
      return { writer, reader, write };
    }),
  );
  const cpu = await processorSeconds(relay.pid);
  const started = performance.now();
  for (const { write } of pairs) for (let index = 0; index < ahead; index++) write();
  await pause(SECONDS * 1000);
  const counted = echoes;
  const seconds = (performance.now() - started) / 1000;
  const used = (await processorSeconds(relay.pid)) - cpu;
  stopped = true;
  await until('the last echoes', () => heard === next, 60_000);
  for (const { writer, reader } of pairs) {
    writer.socket.terminate();
    reader.socket.terminate();
  }
  latencies.sort((a, b) => a - b);
  return {
    writers,
    underWayEach: ahead,
    committedPerSecond: Math.round(counted / seconds),
    processorCores: round(used / seconds),
    committedPerCoreSecond: Math.round(counted / used),
    ackP50Ms: round(at(latencies, 0.5)),
    ackP95Ms: round(at(latencies, 0.95)),
  };
}

/** One person typing: an update, its echo, and its arrival at another client. */
async function latency(relay: RelayProcess, samples: number) {
  const key = createKey();
  const writer = await openIdle(relay, key, 'talk');
  const reader = await openIdle(relay, key, 'talk');
  const acks: number[] = [];
  const arrivals: number[] = [];
  for (let index = 0; index < samples; index++) {
    const message = updateMessage(makeUpdate(UPDATE_BYTES));
    const sent = performance.now();
    const echo = new Promise<void>((done) =>
      writer.socket.once('message', () => {
        acks.push(performance.now() - sent);
        done();
      }),
    );
    const arrival = new Promise<void>((done) =>
      reader.socket.once('message', () => {
        arrivals.push(performance.now() - sent);
        done();
      }),
    );
    writer.socket.send(message);
    await Promise.all([echo, arrival]);
    await pause(5);
  }
  writer.socket.terminate();
  reader.socket.terminate();
  acks.sort((a, b) => a - b);
  arrivals.sort((a, b) => a - b);
  return {
    samples,
    ackP50Ms: round(at(acks, 0.5)),
    ackP95Ms: round(at(acks, 0.95)),
    arrivalP50Ms: round(at(arrivals, 0.5)),
    arrivalP95Ms: round(at(arrivals, 0.95)),
  };
}

async function measure(env: Record<string, string>) {
  const quiet = await startRelay({ ...ENV, ...env });
  const idle = await idleRooms(quiet);
  await quiet.stop();
  const relay = await startRelay({ ...ENV, ...env });
  const result = {
    idle,
    latency: await latency(relay, 500),
    oneAtATime: await throughput(relay, 20, 1),
    busy: await throughput(relay, 40, 16),
  };
  await relay.stop();
  return result;
}

try {
  const embedded = await withFolder((folder) => measure({ RELAY_DATA: folder }));
  let postgresql: Awaited<ReturnType<typeof measure>> | undefined;
  if (values.postgres) {
    const server = await startPostgres();
    postgresql = await measure({ DATABASE_URL: await server.createDatabase() });
    await server.stop();
  }
  console.log(
    JSON.stringify(
      { processor: cpus()[0]?.model, cores: cpus().length, node: process.version, embedded, postgresql },
      null,
      2,
    ),
  );
} finally {
  await stopAll();
}
