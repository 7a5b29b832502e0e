import './forget-tokenizer.ts';
import '../../../src/workers/embedding.worker.ts';
