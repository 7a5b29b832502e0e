import { z } from 'zod';
import { PROBLEM_CODES, type Problem } from './errors.ts';

/** Checks a problem that arrives from another thread. */
export const problemSchema = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retry: z.boolean(),
}) as z.ZodType<Problem>;
