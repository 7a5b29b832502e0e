import './forget-isolation.ts';
import '../../../src/workers/embedding.worker.ts';
