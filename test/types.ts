// `npm run test:types`: checks each context with the libraries it has. A page cannot call Node, a worker has
// no `document`, a service worker starts no threads, the relay has no DOM, and the domain knows neither. Tests
// and the build have all of them. `--fresh`: believes nothing of earlier runs, as the gate does; an
// incremental run has passed over an error once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
/** The folder of each context's `tsconfig.json`; the longest first. */
export const CONTEXTS = ['.', 'src', 'src/workers', 'src/domain', 'src/relay', 'src/workers/service'];
/** Checks that run at once, each with one checker: several in one process each work out the same types anew. */
const PARALLEL = 2;
const CHECKERS = ['--checkers', '1'];

/** Runs the compiler on a folder; what it said, and whether all was well. */
export async function checkTypes(folder: string, ...options: string[]) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [compiler, '-p', folder, ...CHECKERS, ...options], { cwd: ROOT });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
  const [status] = await once(child, 'close');
  return { ok: status === 0, said };
}

async function checkAll(): Promise<boolean> {
  const open = [...CONTEXTS];
  let allOk = true;
  const work = async () => {
    for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
      const cache = `node_modules/.cache/types/${folder.replace(/\W+/g, '-')}.tsbuildinfo`;
      const options = argv.includes('--fresh')
        ? []
        : ['--incremental', '--tsBuildInfoFile', join(ROOT, cache)];
      const { ok, said } = await checkTypes(folder, ...options);
      if (!ok) console.log(`${folder}/tsconfig.json\n${said}`);
      allOk &&= ok;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return allOk;
}

if (argv[1] === fileURLToPath(import.meta.url)) exit((await checkAll()) ? 0 : 1);
