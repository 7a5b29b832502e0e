// Derives a key from a passphrase: Argon2id (RFC 9106) by hash-wasm. Each wrap stores its parameters, so better
// parameters apply only to what is wrapped later.
import { z } from 'zod';
import { loadPart } from '../../domain/base/part.ts';

export const argonSchema = z.object({
  /** 16 random bytes, base64url. */
  salt: z.string(),
  /** KiB */
  memory: z.number().int().min(8).max(4_194_304),
  iterations: z.number().int().min(1).max(1000),
});
export type ArgonParameters = Omit<z.infer<typeof argonSchema>, 'salt'>;

/** Least parameters, which a phone manages: the second choice of RFC 9106 (64 MiB, 3 passes). */
const SMALLEST: ArgonParameters = { memory: 64 * 1024, iterations: 3 };
/** Target time of one derivation, ms. */
const WANTED_MS = 700;
const MOST_ITERATIONS = 40;
/** Derivations that are measured. The fastest counts: other work on a busy device only makes one slower. */
const MEASURED = 3;

/** Derives 32 bytes. The passphrase is normalised to NFKC first, so that every keyboard gives the same bytes. */
export async function deriveFromPassphrase(
  passphrase: string,
  salt: Uint8Array,
  { memory, iterations }: ArgonParameters,
): Promise<Uint8Array> {
  const { argon2id } = await loadPart(() => import('hash-wasm'));
  return await argon2id({
    password: passphrase.normalize('NFKC'),
    salt,
    parallelism: 1,
    iterations,
    memorySize: memory,
    hashLength: 32,
    outputType: 'binary',
  });
}

/**
 * Measures parameters with which one derivation takes 0.5 to 1 s on this device. Runs once, when a passphrase is set.
 */
export async function measuredParameters(
  clock: () => number = () => performance.now(),
): Promise<ArgonParameters> {
  const salt = new Uint8Array(16);
  // The first one also loads and compiles the library, which no unlocking should be measured by.
  await deriveFromPassphrase('measuring', salt, SMALLEST);
  let fastest = Number.POSITIVE_INFINITY;
  for (let measured = 0; measured < MEASURED; measured++) {
    const begun = clock();
    await deriveFromPassphrase('measuring', salt, SMALLEST);
    fastest = Math.min(fastest, clock() - begun);
  }
  const perPass = Math.max(1, fastest) / SMALLEST.iterations;
  const iterations = Math.round(WANTED_MS / perPass);
  return { ...SMALLEST, iterations: Math.min(MOST_ITERATIONS, Math.max(SMALLEST.iterations, iterations)) };
}
