// A browser in which no thread can start another one: its script is not found.
const Real = globalThis.Worker;
globalThis.Worker = class extends Real {
  constructor(_: string | URL, options?: WorkerOptions) {
    super('/nowhere.js', options);
  }
};
