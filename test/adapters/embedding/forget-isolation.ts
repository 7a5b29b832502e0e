// A page that its server does not isolate: memory cannot be shared between threads.
Object.defineProperty(globalThis, 'crossOriginIsolated', { value: false });
