import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { messageText } from '../../src/checks/check.ts';
import vocabulary from '../contracts/vocabulary.json' with { type: 'json' };

/** Data that is quoted and counts as one word: a component's message. */
const quoted = ['detail', 'error'];

/** The number of words; a placeholder is one. */
export const wordCount = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\w{]/.test(word)).length;

const escaped = (text: string): string => text.replace(/[.*+?^$()|[\]\\{}]/g, '\\$&');

/** The pattern of a check's message, with its data as groups. */
const shapeOf = (text: string): RegExp => {
  const seen = new Set<string>();
  const pattern = text.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return escaped(part);
    return seen.has(part) ? `\\k<${part}>` : `(?<${seen.add(part) && part}>[^]*?)`;
  });
  return new RegExp(`^${pattern.join('')}$`);
};

/** Fails if a message with its data is longer than allowed. */
export function expectShort(check: string, message: string): void {
  const messages = catalogue.find(({ meta }) => meta.id === check)?.meta.messages ?? {};
  const lengths = Object.values(messages).flatMap((one) => {
    const found = shapeOf(messageText(one)).exec(message);
    if (found === null) return [];
    return wordCount(
      messageText(one).replace(/\{(\w+)\}/g, (_, name: string) =>
        quoted.includes(name) ? 'x' : (found.groups?.[name] ?? ''),
      ),
    );
  });
  expect(lengths, `${check} has this message: ${message}`).to.not.deep.equal([]);
  expect(Math.min(...lengths), `words of ${check}: ${message}`).to.be.at.most(vocabulary.messageWords);
}
