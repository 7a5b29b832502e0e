import './forget-encoder.ts';
import '../../../src/workers/embedding.worker.ts';
