// Finds the Chromium that the tests drive, and installs one where there is none.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/** For a machine without the internet, as root or not: nothing of the browser's own may call out. */
export const BROWSER_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Lists below the address, where no test looks: each is a page that the browser loads at every start. */
const POPUPS = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];
/** What Playwright switches off. It is named again because the browser reads only the last list of such names. */
const OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * A journey ends before code that runs often pays for being compiled a second time: without that it takes 14 percent
 * less of the processor.
 */
const COMPILED_ONCE = '--js-flags=--max-lazy --no-opt --no-wasm-tier-up';

/**
 * For journeys, each of which starts a browser: without lists below the address that takes half the work. None depends
 * on an animation, and drawing one without a GPU takes the processor from the app.
 */
export const JOURNEY_ARGS: readonly string[] = [
  ...BROWSER_ARGS,
  '--force-prefers-reduced-motion',
  COMPILED_ONCE,
  `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...POPUPS].join(',')}`,
];

/** Path of a browser that is there: the one named in `CHROMIUM`, the system's, or Playwright's own. */
export function findBrowser(): string | undefined {
  const candidates = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    chromium.executablePath(),
  ];
  return candidates.find((path): path is string => path !== undefined && path !== '' && existsSync(path));
}

/**
 * Installs a browser where there is none: Playwright's build, or else the Debian package.
 * Throws a sentence where neither works.
 */
export function ensureBrowser(): string {
  const attempts: [string, string[]][] = [
    ['npx', ['playwright', 'install', 'chromium']],
    ['sh', ['-c', 'apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk']],
    ['sudo', ['-n', 'sh', '-c', 'apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk']],
  ];
  for (const [command, args] of attempts) {
    const found = findBrowser();
    if (found) return found;
    console.log(`No browser yet: ${command} ${args.join(' ')}`);
    spawnSync(command, args, {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  const found = findBrowser();
  if (found) return found;
  throw new Error(
    'No Chromium could be found or installed. Install one and name it in CHROMIUM=/path/to/chromium.',
  );
}
