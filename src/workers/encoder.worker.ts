// One of the threads that read passages beside the model's own.
import { serveLane } from '../adapters/embedding/lanes.ts';

serveLane(self);
