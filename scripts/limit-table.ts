import { limitTable } from '../src/basics/limits.ts';

const mebibyte = 1024 * 1024;

const size = (most: number): string => (most % mebibyte === 0 ? `${most / mebibyte} MiB` : `${most}`);

/** Rows of the table of limits in docs/security.md, from the constants in the code. */
export const limitRows = (): string =>
  [
    '| Name | Limit | Applies to | kube-apiserver |',
    '|---|---|---|---|',
    ...Object.entries(limitTable).map(
      ([name, { most, of, apiServer = '' }]) => `| \`${name}\` | ${size(most)} | ${of} | ${apiServer} |`,
    ),
  ].join('\n');

/** Replaces the rows of the table in the page. */
export const withLimitRows = (page: string): string =>
  page.replace(/^\| Name \| Limit \|.*(\n\|.*)*/m, () => limitRows());
