import { chmodSync, copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { run } from '../cluster/run-command.ts';

/** Files of libc6, libgcc-s1 and libstdc++6, which every image for dynamic programs has. */
const usual =
  /^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+$/;

/** A root directory with the libraries of a C++ program: no shell, no /proc. */
export async function bareRoot(program: string): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'kubectl-webhook-root-'));
  const linked = [...(await run('ldd', [program])).matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file);
  for (const file of linked) {
    if (!usual.test(basename(file))) throw new Error(`${program} needs ${file}, which not every machine has`);
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  for (const folder of ['bin', 'root', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  return root;
}
