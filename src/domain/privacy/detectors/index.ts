// The registry of detectors, in the order in which they run: each sees the text without the finds of the earlier ones.
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

/**
 * Raise this whenever detectors find other words, so that the index is cleaned again. `version.test.ts` fails if it
 * was not raised.
 */
export const DETECTORS_VERSION = 6;

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
