import './forget-relaxed-simd.ts';
import '../../../src/workers/embedding.worker.ts';
