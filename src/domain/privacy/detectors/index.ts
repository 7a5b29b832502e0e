// The registry of detectors, in the order in which they look: what one finds the later ones do not see.
import type { Detector } from '../detector.ts';
import { bankAccounts } from './bank-accounts.ts';
import { cards } from './cards.ts';
import { credentialFiles } from './credential-files.ts';
import { emails } from './emails.ts';
import { ids } from './ids.ts';
import { keywords } from './keywords.ts';
import { addresses, names, words } from './own-lists.ts';
import { phones } from './phones.ts';
import { recoveryPhrases } from './recovery-phrases.ts';
import { secrets } from './secrets.ts';

/** Raised whenever other words are found: what the older rules let into the index is cleaned anew then. `version.test.ts` notices a change. */
export const DETECTORS_VERSION = 3;

export const DETECTORS: readonly Detector[] = [
  credentialFiles,
  secrets,
  recoveryPhrases,
  keywords,
  bankAccounts,
  cards,
  ids,
  emails,
  phones,
  addresses,
  names,
  words,
];
