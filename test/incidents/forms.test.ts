import { expect } from 'chai';
import { gradeOfExplain, incidents, nameOf } from './incidents.ts';

/** Each line of a text in another form. */
const lines = (change: (line: string) => string) => (text: string) => text.split('\n').map(change).join('\n');

/** Lines of at most this width, broken between words, as mail programs and editors do. */
function wrapped(line: string, width: number): string {
  const rows: string[] = [];
  for (const word of line.split(' ')) {
    const row = rows.at(-1);
    if (row === undefined || `${row} ${word}`.length > width) rows.push(word);
    else rows[rows.length - 1] = `${row} ${word}`;
  }
  return rows.join('\n');
}

/** Lines that a terminal breaks at this width, also inside of words, and that are indented as a block of code is. */
const broken = (width: number) => (text: string) =>
  text
    .replaceAll(new RegExp(`(?<=.{${width}})(?=.)(?<=^(?:.{${width}})+)`, 'gm'), '\n')
    .replaceAll(/^/gm, '    ');

/** The lines in a box of that width, as tools on a terminal draw it. */
function boxed(text: string, width: number): string {
  const rows = lines((line) => wrapped(line, width))(text).split('\n');
  const inside = Math.max(...rows.map(({ length }) => length));
  return rows.map((row) => `│ ${row.padEnd(inside)} │`).join('\n');
}

const html: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' };

/** Forms in which logs, tools and people repeat a text, and for which percentage they may hide the cause. */
const forms: readonly (readonly [name: string, form: (text: string) => string, hidden: number])[] = [
  ['a quoted mail', lines((line) => `> ${line}`), 0],
  // Sentences of people are in no log: there, what they say about the product is not found.
  ['the log of a container runtime', lines((line) => `2026-01-01T00:00:00.000000000Z stderr F ${line}`), 1],
  ['kubectl logs --prefix', lines((line) => `[pod/policy-7c9d5b6f4-x2x7k/webhook] ${line}`), 1],
  ['colors', lines((line) => `\u001b[31m${line}\u001b[0m`), 0],
  ['a question around it', (text) => `Since today nothing works:\n\n${text}\n\nAny ideas?`, 0],
  ['HTML', (text) => text.replace(/[&"<>]/g, (one) => html[one] ?? one), 1],
  ['a JSON log of Docker', (text) => JSON.stringify({ log: `${text}\n`, stream: 'stderr' }), 1],
  ['lines of 80 characters', lines((line) => wrapped(line, 80)), 1],
  ['an indented copy of a terminal', broken(80), 2],
  ['a box on a terminal', (text) => boxed(text, 100), 2],
  ['a sentence', lines((line) => line.replace(/^[a-z]/, (first) => first.toUpperCase())), 2],
];

/** Each form is tried with one in three incidents, the next one with others. */
const oneIn = 3;

describe('explain and incidents in other forms', () => {
  const exact = incidents.filter((one) => one.explain === 'exact' && one.class !== 'none');
  for (const [at, [name, form, hidden]] of forms.entries())
    it(`finds the cause in ${name}`, () => {
      const tried = exact.filter((_, index) => index % oneIn === at % oneIn);
      const lost = tried.filter((one) => gradeOfExplain({ ...one, said: one.said.map(form) }) !== 'exact');
      expect((100 * lost.length) / tried.length, lost.map(nameOf).join(', ')).to.be.at.most(hidden);
    });
});
