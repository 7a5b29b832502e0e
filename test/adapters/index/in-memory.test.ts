import { createInMemoryIndex } from '../../../src/adapters/index/in-memory.ts';
import { describeMemoryIndex } from '../../suites/memory-index.suite.ts';

describeMemoryIndex('in memory', { open: async () => createInMemoryIndex(), runs: 100 });
