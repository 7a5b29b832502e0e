// Reads a sealed index as the app's thread does, from a disk so slow that questions overtake it: it sleeps before each
// part.
import '../../../src/workers/page-reader.worker.ts';

const exchange = Atomics.exchange.bind(Atomics);
const never = new Int32Array(new SharedArrayBuffer(4));
// The reader looks for the part that is wanted before it reads one.
Atomics.exchange = ((...given: Parameters<typeof Atomics.exchange>) => {
  const wanted = exchange(...given);
  Atomics.wait(never, 0, 0, 300);
  return wanted;
}) as typeof Atomics.exchange;
