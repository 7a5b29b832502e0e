// React makes errors of its own while it is read. Where a debugger looks on, as Lighthouse does, Chromium reads the whole script again for the
// place of each: in a file of its own (`vite.config.ts`) that is React alone, not the app.
import 'react-dom/client';
