// One of the threads that read passages beside the model's own.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { serveLane } from '../adapters/embedding/lanes.ts';

watchWorker(self, 'encoder');
serveLane(self);
