// Imported first by every front door: the page's policy forbids eval, and zod, which would try it for speed, shall not even try
// (a refused attempt is reported as a violation). It decides when a schema is made, so this must run before any schema is.
import { z } from 'zod';

z.config({ jitless: true });
