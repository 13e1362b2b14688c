import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.js';

interface Project {
  readonly name: string;
  /** Without a leading v. */
  readonly version: string;
  readonly description: string;
  /** SPDX identifier. */
  readonly license: string;
  readonly homepage: string;
}

/** Content of package.json. */
export const about: Project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
