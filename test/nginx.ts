// Finds the nginx that the relay's proxy is tried with, and gets one where there is none.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../node_modules/.cache/nginx');
const INSTALL = 'apt-get update -qq && apt-get install -y -qq nginx-light';
export const NGINX_WANTED = 'Install nginx, or name it in NGINX_PROGRAM=/path/to/nginx, to try the proxy.';

/** A program that runs: the one named in `NGINX_PROGRAM`, the system's, or the one that `ensureNginx` got. */
export const findNginx = (): string | undefined =>
  [process.env.NGINX_PROGRAM, 'nginx', '/usr/sbin/nginx', join(FOLDER, 'usr/sbin/nginx')].find(
    (path) => path && spawnSync(path, ['-v']).status === 0,
  );

/**
 * Gets one where there is none: the Debian package unpacked, which needs no rights and starts
 * nothing, or else installed. Tells failure.
 */
export function ensureNginx(): void {
  const unpack = `mkdir -p ${FOLDER} && cd ${FOLDER} && apt-get download -qq nginx && dpkg -x nginx_*.deb .`;
  for (const [command, args] of [
    ['sh', ['-c', unpack]],
    ['sh', ['-c', INSTALL]],
    ['sudo', ['-n', 'sh', '-c', INSTALL]],
  ] as const) {
    if (findNginx()) return;
    console.log(`No nginx yet: ${command} ${args.join(' ')}`);
    spawnSync(command, args, {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  if (!findNginx()) console.log(NGINX_WANTED);
}
