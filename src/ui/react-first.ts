// React creates errors while it loads. With a debugger attached, as in Lighthouse, Chromium then reads the whole script
// again to locate each: in a separate file (`vite.config.ts`) that is React alone, not the app.
import 'react-dom/client';
