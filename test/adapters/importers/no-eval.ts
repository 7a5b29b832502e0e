// For a page of one bundle: tells zod not to try eval, which a strict policy refuses and reports. It decides when the
// first schema is made, so this is imported before anything that makes one. Where a build splits its chunks no module
// can be sure to be first: the app does the same in public/theme.js.
import { z } from 'zod';

z.config({ jitless: true });
