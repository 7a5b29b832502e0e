import './forget-assembly.ts';
import '../../../src/workers/embedding.worker.ts';
