import { limitTable } from '../src/facts/limits.ts';

const mebibyte = 1024 * 1024;

const size = (most: number): string => (most % mebibyte === 0 ? `${most / mebibyte} MiB` : `${most}`);

/** What docs/security.md says of limits, by the code: a row for each. */
export const limitRows = (): string =>
  [
    '| Name | Limit | Applies to | kube-apiserver |',
    '|---|---|---|---|',
    ...Object.entries(limitTable).map(
      ([name, { most, of, apiServer = '' }]) => `| \`${name}\` | ${size(most)} | ${of} | ${apiServer} |`,
    ),
  ].join('\n');

/** The page with its table as the code has it. */
export const withLimitRows = (page: string): string =>
  page.replace(/^\| Name \| Limit \|.*(\n\|.*)*/m, () => limitRows());
