import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..', '..');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** Targets of Markdown links within this repository, without those in the output of programs. */
const localLinks = (text: string): readonly string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading.trim()));

describe('links of the documentation', () => {
  it('lead to existing files and headings', () => {
    const links = pages.flatMap((page) =>
      localLinks(readFileSync(join(root, page), 'utf8')).map((target) => ({ page, target })),
    );
    expect(links.length).to.be.greaterThan(100);
    const dead = links.filter(({ page, target }) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
    });
    expect(dead).to.deep.equal([]);
  });

  it('are on pages that start with their purpose', () => {
    const own = pages.filter(
      (page) => !/^docs\/(checks|remedies|cases)\/(?!README)/.test(page) && page.startsWith('docs'),
    );
    const starts = own.map((page) => ({
      page,
      start:
        readFileSync(join(root, page), 'utf8')
          .replace(/^# .*\n+|<!--[\s\S]*?-->\n+/g, '')
          .split('\n\n')[0] ?? '',
    }));
    expect(starts.filter(({ start }) => !/^(Use|Find|Look|With|After) |\byou\b/.test(start))).to.deep.equal(
      [],
    );
  });

  it('lead to every page of docs/ from its table of contents, at once to the pages beside it', () => {
    const linkedFrom = (page: string): readonly string[] =>
      localLinks(readFileSync(join(root, page), 'utf8'))
        .map((target) => join(dirname(page), target.split('#')[0] ?? ''))
        .filter((target) => pages.includes(target));
    const contents = join('docs', 'README.md');
    const reached = new Set([contents]);
    for (const page of reached) for (const target of linkedFrom(page)) reached.add(target);
    const own = pages.filter((page) => dirname(page).startsWith('docs'));
    expect(own.filter((page) => !reached.has(page))).to.deep.equal([]);
    const beside = own.filter((page) => dirname(page) === 'docs' && page !== contents);
    expect(beside.filter((page) => !linkedFrom(contents).includes(page))).to.deep.equal([]);
  });
});
