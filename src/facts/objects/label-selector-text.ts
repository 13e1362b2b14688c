import { type LabelSelector, type LabelSelectorRequirement, type Labels, selects } from './label-selector.ts';

/** Returns true if the selector matches an object with these labels. */
export type LabelTest = (labels: Labels) => boolean;

/** Thrown for a selector that cannot be parsed; the message is the API server's. */
export class SelectorError extends Error {}

const special = /[=!(),<>]/;

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

/** One requirement. The operators `>` and `<` exist only in this text form. */
interface Requirement {
  readonly key: string;
  readonly operator: LabelSelectorRequirement['operator'] | '>' | '<';
  readonly values: readonly string[];
}

const operatorNames = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': '>',
  '<': '<',
} as const;
const isOperator = (token: string): token is keyof typeof operatorNames =>
  Object.hasOwn(operatorNames, token);

function requirement(cursor: Cursor): Requirement {
  const negated = cursor.peek() === '!';
  if (negated) cursor.take();
  const key = cursor.take();
  if (!isWord(key)) fail(`found '${key}', expected: identifier`);
  if (negated) return { key, operator: 'DoesNotExist', values: [] };
  if (cursor.peek() === '' || cursor.peek() === ',') return { key, operator: 'Exists', values: [] };
  const token = cursor.take();
  if (!isOperator(token)) return fail(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = token === 'in' || token === 'notin' ? [...valueSet(cursor)] : [exactValue(cursor)];
  return { key, operator: operatorNames[token], values };
}

function requirementsIn(text: string): readonly Requirement[] {
  const cursor = cursorOver(tokensOf(text));
  const found: Requirement[] = [];
  while (cursor.peek() !== '') {
    const first = cursor.peek();
    if (!isWord(first) && first !== '!')
      fail(`found '${first}', expected: !, identifier, or 'end of string'`);
    try {
      found.push(requirement(cursor));
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
  return found;
}

function isFulfilled({ key, operator, values }: Requirement, labels: Labels): boolean {
  if (operator !== '>' && operator !== '<')
    return selects({ matchExpressions: [{ key, operator, values }] }, labels);
  const [value, bound] = [Number(labels[key]), Number(values[0])];
  return Object.hasOwn(labels, key) && (operator === '>' ? value > bound : value < bound);
}

/**
 * Parses the `labelSelector` of a request or kubectl's `-l`, with all operators (apimachinery
 * pkg/labels/selector.go). Throws {@link SelectorError}.
 */
export function parseLabelSelector(text: string): LabelTest {
  const requirements = requirementsIn(text);
  return (labels) => requirements.every((one) => isFulfilled(one, labels));
}

/** Converts a selector text to an equivalent `LabelSelector`. Throws {@link SelectorError}. */
export function labelSelectorOf(text: string): LabelSelector {
  const matchExpressions = requirementsIn(text).map(({ key, operator, values }): LabelSelectorRequirement => {
    if (operator === '>' || operator === '<')
      return fail(`'${key}${operator}${values.join()}': a LabelSelector has no operators > and <`);
    return values.length === 0 ? { key, operator } : { key, operator, values };
  });
  return matchExpressions.length === 0 ? {} : { matchExpressions };
}
