import { stripVTControlCharacters } from 'node:util';
import { closestMatch } from 'leven';
import { onOneLine } from '../basics/one-line.ts';
import { shellWord } from '../phrases/advice.ts';
import { harmlessLines } from '../render/text/harmless.ts';
import { interruptedExitCode } from './interrupt.ts';
import { programName } from './program.ts';

/** How the program exits after an error: text for stderr (empty for a plain exit), and the exit code. */
export interface Ending {
  readonly text: string;
  readonly exitCode: number;
}

/** Properties of oclif's errors, checked by shape, so that `--version` need not load oclif. */
interface MarkedError extends Error {
  readonly code?: unknown;
  readonly oclif?: { readonly exit?: unknown };
  readonly exitCode?: unknown;
  readonly badUsage?: unknown;
  readonly parse?: { readonly input?: { readonly flags?: Readonly<Record<string, unknown>> } };
  readonly flags?: readonly string[];
  readonly args?: readonly (string | { readonly name?: string })[];
}

/**
 * Converts an error to exit code and text. An error with an exit code (`oclif.exit`, as `this.error()` sets
 * it, or `exitCode`) has a message for the user; any other one is a bug.
 */
export function explainError(error: unknown, command: string | undefined, showStack: boolean): Ending {
  const marked = (error instanceof Error ? error : new Error(String(error))) as MarkedError;
  const exitCode = [marked.oclif?.exit, marked.exitCode].find((code) => typeof code === 'number');
  const stack = showStack && marked.stack ? `${harmlessLines(marked.stack)}\n` : '';
  if (marked.code === 'EEXIT') return { text: '', exitCode: exitCode ?? 0 };

  const sentence = usageSentence(marked);
  const usage = sentence && (templateSentence(sentence, command) ?? sentence);
  if (usage !== undefined) {
    const help = [programName, command, '--help'].filter(Boolean).join(' ');
    return { text: `error: ${indented(usage)}\nSee "${help}".\n${stack}`, exitCode: 2 };
  }
  // Ctrl-C and Esc are no errors.
  const mark = exitCode === interruptedExitCode ? '' : 'error: ';
  if (exitCode !== undefined) return { text: `${mark}${indented(marked.message)}\n${stack}`, exitCode };
  const message = onOneLine(harmlessLines(marked.message || marked.name));
  return {
    text: `internal error: ${message}; please report it (-v 6 prints the stack)\n${stack}`,
    exitCode: 2,
  };
}

/** Rewrites oclif's message about flags and arguments in kubectl's style; undefined for other messages. */
function usageSentence(error: MarkedError): string | undefined {
  if (error.badUsage === true) return error.message;
  // "Parsing --timeout \n\tExpected an integer but received: x\nSee more help with --help" (oclif parser/parse.js)
  const parsing = /^Parsing (--\S+) \n\t([\s\S]*?)(\nSee more help with --help)*$/.exec(error.message);
  if (parsing) return `${parsing[1]}: ${lowerFirst(parsing[2] ?? '')}`;
  // "Flag --output expects a value", "Flag --output expects one of these values: json, yaml"
  if (/^Flag --\S+ expects /.test(error.message)) return plainSentence(error.message);
  if (error.parse === undefined) return undefined;

  const known = Object.keys(error.parse.input?.flags ?? {}).map((name) => `--${name}`);
  const [flag] = error.flags ?? [];
  if (flag !== undefined) {
    const [name = flag] = flag.split('=');
    return withSuggestion(`unknown flag ${name}`, name.startsWith('--') ? closest(name, known) : undefined);
  }

  const [argument] = error.args ?? [];
  if (typeof argument === 'string') return `unexpected argument "${argument}"`;
  if (argument?.name) return `missing argument ${argument.name.toUpperCase()}`;
  return plainSentence(error.message);
}

/** The field of a document with its rows, if it is not the one for webhooks. */
const rows: Readonly<Record<string, string>> = { changes: 'changes', list: 'items' };

/** The jq filter with the same output as a kubectl format. */
function jqOf(format: string, template: string, command: string | undefined): string {
  const path = (text: string): string => text.replaceAll('[*]', '[]').trim() || '.';
  if (format === 'custom-columns') {
    const columns = template.split(',').map((column) => path(column.slice(column.indexOf(':') + 1)));
    return `.${rows[command ?? ''] ?? 'callouts'}[] | [${columns.join(', ')}] | @tsv`;
  }
  const parts = [...template.matchAll(/\{([^{}]+)\}/g)]
    .map(([, part = '']) => part.trim())
    .filter((part) => !/^["']/.test(part));
  const plain = parts.length > 0 && parts.every((part) => /^\.[\w.[\]*-]*$/.test(part));
  return plain ? parts.map(path).join(', ') : '.';
}

/** kubectl's templates are not supported: suggests `-o json` and jq, with the fields if they can be translated. */
function templateSentence(sentence: string, command: string | undefined): string | undefined {
  const [, format = '', template = ''] =
    /^invalid --output "(jsonpath|jsonpath-as-json|custom-columns|go-template)(?:=([\s\S]*))?": must/.exec(
      sentence,
    ) ?? [];
  if (format === '') return undefined;
  const words = [programName, command].filter(Boolean).join(' ');
  const filter = jqOf(format, template, command);
  const how = filter === '.' ? 'use jq with your filter' : 'use jq';
  return `--output has no ${format}; ${how}: ${words} -o json | jq -r ${shellWord(filter)}`;
}

/** Simplifies oclif's other messages: without colours, headings and the second sentence. */
function plainSentence(message: string): string {
  const sentence = stripVTControlCharacters(message)
    .replace(/(\nSee more help with --help)+$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/^Expected (--\S+?)=([\s\S]*) to be one of: /, 'invalid $1 "$2": must be one of ')
    .replace(/^Expected ([\s\S]*) to be one of: /, 'invalid argument "$1": must be one of ')
    .replace(/^All of the following must be provided when using (--\S+): /, '$1 requires ')
    .replace(/^Missing required flag (?=\w)/, 'missing required flag --');
  return lowerFirst(sentence.trim());
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Indents further lines, so that a server's text cannot look like this program's output. */
function indented(message: string): string {
  return harmlessLines(message).replaceAll('\n', '\n  ');
}

/** `… ; there is a similar one: x`, if there is a suggestion. */
export function withSuggestion(sentence: string, suggestion: string | undefined): string {
  return suggestion === undefined ? sentence : `${sentence}; there is a similar one: ${suggestion}`;
}

/** The candidate that was probably meant: the only one with this prefix, or with few other letters. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const withPrefix = candidates.filter((candidate) => candidate.startsWith(word));
  if (withPrefix.length === 1) return withPrefix[0];
  return closestMatch(word, candidates, { maxDistance: Math.max(2, Math.floor(word.length / 3)) });
}
