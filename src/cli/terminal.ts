import type { Environment } from '../basics/environment.ts';
import type { Look } from '../render/text/look.ts';

/** The properties of an output stream; `columns` is absent (or 0 on some terminals) if unknown. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}
/** Columns for output that is not a terminal: a file, a pipe, a CI log. */
const elsewhere = 80;

function width(stream: Stream, env: Environment): number {
  const columns = stream.isTTY ? stream.columns : Number(env.COLUMNS);
  return columns !== undefined && columns > 0 ? Math.floor(columns) : elsewhere;
}

/**
 * Colours are decided by FORCE_COLOR, as in Node (0 and false: none); then by NO_COLOR, unless empty
 * (no-color.org); then by whether this is a terminal with colour support.
 */
function colour(stream: Stream, env: Environment): boolean {
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  if (env.NO_COLOR) return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** The locale according to POSIX: the first of these variables that is not empty; else "C", ASCII. */
function unicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (locale) return /utf-?8/i.test(locale);
  // Windows has no such locale: terminals of Windows 10 and later, and editors, support UTF-8.
  if (platform === 'win32') return Boolean(env.WT_SESSION || env.TERM_PROGRAM || env.TERM);
  return platform === 'darwin';
}

/** The look of text on this stream. */
export const terminalLook = (
  stream: Stream = process.stdout,
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): Look => ({ width: width(stream, env), colour: colour(stream, env), unicode: unicode(env, platform) });

/** Whether an animation can be shown: a terminal with a known width, and not a CI log. */
export const isLively = (stream: Stream, env: Environment = process.env): boolean =>
  stream.isTTY === true && (stream.columns ?? 0) > 0 && env.TERM !== 'dumb' && !env.CI;

/** Writes text for people, wrapped to a narrow terminal. */
export async function fitted(text: string, { isTTY, columns = 0 }: Stream = process.stdout): Promise<string> {
  if (isTTY !== true || columns <= 0 || !text.split('\n').some((line) => line.length > columns)) return text;
  const { narrowedText: narrowed } = await import('../render/terminal/style.ts');
  return narrowed(text, columns);
}
