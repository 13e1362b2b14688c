import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/bundle.js';
import { run } from '../cluster/run-command.ts';

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Packs what npm would publish, in a copy: while npm packs, package.json is another one. Returns the archive's path. */
export async function packed(folder: string): Promise<string> {
  const listed = ['ls-files', '-z', 'bin', 'scripts', 'src', '*.json', 'LICENSE', 'README.md'];
  const files = (await run('git', listed, { cwd: root }))
    .split('\0')
    .filter((file) => file !== '' && !file.startsWith('test/') && !file.startsWith('docs/'));
  const copy = join(folder, 'copy');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy });
  return join(folder, `kubectl-webhook-${version}.tgz`);
}
