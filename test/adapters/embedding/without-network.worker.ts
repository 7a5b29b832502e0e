import './forget-network.ts';
import '../../../src/workers/embedding.worker.ts';
