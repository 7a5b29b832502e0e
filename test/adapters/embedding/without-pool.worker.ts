import './forget-pool.ts';
import '../../../src/workers/embedding.worker.ts';
