// Names in the key schedule. Everything comes from one account key K by HKDF-SHA-256 (RFC
// 5869, empty salt) under these infos:
//   room id    16 bytes   recollect/1|room|<document>|<epoch>     what the relay sees instead of a name
//   room key 32 bytes recollect/1|enc|<document>|<epoch> its own AES key per room and epoch, so random nonces stay far
//   below 2^32 token 32 bytes recollect/1|auth|<realm> shown to the relay; its SHA-256 names the account
import { sha256 } from '@noble/hashes/sha2.js';
import { fromText, toText } from './bytes.ts';

export const ROOM_ID_BYTES = 16;
export const TOKEN_BYTES = 32;

/** The room in which devices exchange version announcements. No document has this id. */
export const INDEX_ROOM = 'index';

/** Info for deriving the id of a document's room, one for each epoch. */
export const roomIdInfo = (document: string, epoch: number) => `recollect/1|room|${document}|${epoch}`;
/** Info for deriving the key of a document's room, one for each epoch. */
export const roomKeyInfo = (document: string, epoch: number) => `recollect/1|enc|${document}|${epoch}`;
/** Info for deriving the token for a realm. */
export const tokenInfo = (realm: string) => `recollect/1|auth|${realm}`;

/**
 * Returns the account's name on the relay: the first 16 bytes of the token's SHA-256, base64url. `token`: base64url.
 */
export const accountTag = (token: string): string => toText(sha256(fromText(token)).slice(0, 16));

/** The WebSocket subprotocol that carries the token, so that it is in no address and in no log. */
export const tokenProtocol = (token: string): string => `recollect.${token}`;
