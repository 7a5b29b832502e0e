// The places, in cleaning order.
import type { CreatePlace } from '../place.ts';
import { conversations } from './conversations.ts';
import { copy } from './copy.ts';
import { index } from './index-rows.ts';
import { kept } from './kept.ts';
import { notes } from './notes.ts';
import { prompts } from './prompts.ts';
import { relay } from './relay.ts';

export const CREATE_PLACES: readonly CreatePlace[] = [
  conversations,
  notes,
  prompts,
  kept,
  copy,
  index,
  relay,
];
