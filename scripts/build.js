import { existsSync } from 'node:fs';

if (!existsSync('src/cli/main.ts')) process.exit(0);
