import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/bundle.js';
import { run } from '../cluster/run-command.ts';

/** Packs the npm package in a copy, because package.json changes meanwhile. Returns the archive's path. */
export async function packed(folder: string): Promise<string> {
  const listed = ['ls-files', '-z', 'bin', 'scripts', 'src', '*.json', '.npmrc', 'LICENSE', 'README.md'];
  const files = (await run('git', listed, { cwd: root }))
    .split('\0')
    .filter((file) => file !== '' && !file.startsWith('test/') && !file.startsWith('docs/'));
  const copy = join(folder, 'copy');
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // pre-commit uses npm's output as the name of the archive.
  const name = await run('npm', ['pack', '--pack-destination', folder], { cwd: copy });
  return join(folder, name.trim());
}
