import './forget-lanes.ts';
import '../../../src/workers/embedding.worker.ts';
