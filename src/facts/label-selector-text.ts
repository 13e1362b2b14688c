import type { LabelSelector, LabelSelectorRequirement, Labels } from './objects/metadata.ts';

/** Returns true if the selector matches an object with these labels. */
export type LabelTest = (labels: Labels) => boolean;

/** Thrown for a selector that cannot be parsed; the message is the API server's. */
export class SelectorError extends Error {}

const special = /[=!(),<>]/;
const operators = ['in', 'notin', '=', '==', '!=', '>', '<'];

const tokensOf = (text: string): readonly string[] => text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];

const isWord = (token: string): boolean => token !== '' && !special.test(token[0] ?? '');
const fail = (message: string): never => {
  throw new SelectorError(message);
};

/** A cursor over the tokens; the empty string is the end. */
interface Cursor {
  peek(): string;
  take(): string;
}
function cursorOver(tokens: readonly string[]): Cursor {
  let at = 0;
  return { peek: () => tokens[at] ?? '', take: () => tokens[at++] ?? '' };
}

function valueSet(cursor: Cursor): ReadonlySet<string> {
  const open = cursor.take();
  if (open !== '(') fail(`found '${open}' expected: '('`);
  const values = new Set<string>();
  if (cursor.peek() === ')') values.add('');
  while (cursor.peek() !== ')') {
    const token = cursor.take();
    if (isWord(token)) {
      values.add(token);
      const next = cursor.peek();
      if (next !== ',' && next !== ')') fail(`found '${next}', expected: ',' or ')'`);
    } else if (token === ',') {
      // A comma with nothing before or after it is an empty value.
      const next = cursor.peek();
      if (values.size === 0 || next === ')' || next === ',') values.add('');
      if (next === ',') cursor.take();
    } else fail(`found '${token}', expected: ',', or identifier`);
  }
  cursor.take();
  return values;
}

function exactValue(cursor: Cursor): string {
  if (cursor.peek() === '' || cursor.peek() === ',') return '';
  const token = cursor.take();
  return isWord(token) ? token : fail(`found '${token}', expected: identifier`);
}

function comparison(key: string, operator: string, cursor: Cursor): LabelTest {
  if (operator === 'in' || operator === 'notin') {
    const values = valueSet(cursor);
    return (labels) => values.has(labels[key] ?? '\0') === (operator === 'in');
  }
  const value = exactValue(cursor);
  if (operator === '!=') return (labels) => labels[key] !== value;
  if (operator === '>') return (labels) => key in labels && Number(labels[key]) > Number(value);
  if (operator === '<') return (labels) => key in labels && Number(labels[key]) < Number(value);
  return (labels) => labels[key] === value;
}

function requirement(cursor: Cursor): LabelTest {
  const negated = cursor.peek() === '!';
  if (negated) cursor.take();
  const key = cursor.take();
  if (!isWord(key)) fail(`found '${key}', expected: identifier`);
  if (negated) return (labels) => !(key in labels);
  if (cursor.peek() === '' || cursor.peek() === ',') return (labels) => key in labels;
  const operator = cursor.take();
  if (!operators.includes(operator)) fail(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  return comparison(key, operator, cursor);
}

/**
 * Parses the `labelSelector` of a request or kubectl's `-l`, with all operators (apimachinery
 * pkg/labels/selector.go). Throws {@link SelectorError}.
 */
export function parseLabelSelector(text: string): LabelTest {
  const cursor = cursorOver(tokensOf(text));
  const tests: LabelTest[] = [];
  while (cursor.peek() !== '') {
    const first = cursor.peek();
    if (!isWord(first) && first !== '!')
      fail(`found '${first}', expected: !, identifier, or 'end of string'`);
    try {
      tests.push(requirement(cursor));
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      fail(`unable to parse requirement: ${error.message}`);
    }
    const next = cursor.take();
    if (next === '') break;
    if (next !== ',') fail(`found '${next}', expected: ',' or 'end of string'`);
    const after = cursor.peek();
    if (!isWord(after) && after !== '!') fail(`found '${after}', expected: identifier after ','`);
  }
  return (labels) => tests.every((test) => test(labels));
}

/** Converts a selector text to an equivalent `LabelSelector`. Throws {@link SelectorError}. */
export function labelSelectorOf(text: string): LabelSelector {
  parseLabelSelector(text);
  const requirements = text.match(/(?:[^,(]|\([^)]*\))+/g) ?? [];
  const matchExpressions = requirements.map((one): LabelSelectorRequirement => {
    const [, key = '', word, list = ''] = /^\s*([^\s!=<>(),]+)\s+(in|notin)\s*\((.*)\)\s*$/.exec(one) ?? [];
    if (word !== undefined)
      return {
        key,
        operator: word === 'in' ? 'In' : 'NotIn',
        values: list.split(',').map((value) => value.trim()),
      };
    const [, name = '', sign, value = ''] = /^\s*([^\s!=<>]+)\s*(==?|!=)\s*(\S*)\s*$/.exec(one) ?? [];
    if (sign !== undefined) return { key: name, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
    if (/[<>]/.test(one)) return fail(`'${one.trim()}': a LabelSelector has no operators > and <`);
    const bare = one.trim();
    return bare.startsWith('!')
      ? { key: bare.slice(1).trim(), operator: 'DoesNotExist' }
      : { key: bare, operator: 'Exists' };
  });
  return matchExpressions.length === 0 ? {} : { matchExpressions };
}
