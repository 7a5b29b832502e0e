import { describeMemoryIndex } from '../../suites/memory-index.suite.ts';
import { createInMemoryIndex } from './in-memory-index.ts';

describeMemoryIndex('in memory', { open: async () => createInMemoryIndex(), runs: 100 });
