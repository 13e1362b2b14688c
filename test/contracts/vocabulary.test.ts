import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { errorTexts } from '../../src/apiserver/sentences/call-error/error-texts.ts';
import { catalogue } from '../../src/checks/catalogue.ts';
import { adviceFor, messageText, sharedText, titleFor } from '../../src/checks/check.ts';
import { commandHelp } from '../../src/cli/command-help.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { adviceText, stepTemplates } from '../../src/phrases/advice.ts';
import { remedyCatalogue } from '../../src/remedies/catalogue.ts';
import { wordCount } from '../support/message-words.ts';
import { advising } from '../support/report.ts';
import vocabulary from './vocabulary.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
const debtFile = join(import.meta.dirname, 'vocabulary-debt.json');

/** A text for users, by the place where it is changed. */
type Text = readonly [place: string, text: string];

const filesBelow = (folder: string, end: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && end.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Without JSDoc, which is read as comments. */
const languageVersion = ts.ScriptTarget.Latest;
const treeOf = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, read(file), {
    languageVersion,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });

/** String literals below a node that are sentences or parts of them: they contain a space between letters. */
function literalsOf(root: ts.Node): readonly string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    // Ids of checks are a contract.
    if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'ids') return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node))
      literals.push(
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('{}'),
      );
    ts.forEachChild(node, visit);
  };
  visit(root);
  return literals.filter((text) => /[a-z,;:] [a-z{]/i.test(text));
}

/** Comments of a source, and the titles of its tests and, with `withNames`, of the cases in their tables. */
function commentsOf(file: ts.SourceFile, withNames: boolean): readonly string[] {
  const source = file.text;
  const comments = new Map<number, string>();
  const titles: string[] = [];
  // Many nodes begin, or end, at the same place.
  const [begins, ends] = [new Set<number>(), new Set<number>()];
  const visit = (node: ts.Node): void => {
    const leading = begins.has(node.pos) ? undefined : ts.getLeadingCommentRanges(source, node.pos);
    const trailing = ends.has(node.end) ? undefined : ts.getTrailingCommentRanges(source, node.end);
    begins.add(node.pos);
    ends.add(node.end);
    for (const { pos, end } of [...(leading ?? []), ...(trailing ?? [])])
      comments.set(pos, source.slice(pos, end).replaceAll(/\n *\*/g, ''));
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      if (/^(describe|it)$/.test(node.expression.text))
        titles.push(...node.arguments.slice(0, 1).flatMap(literalsOf));
    if (withNames && ts.isPropertyAssignment(node) && node.name.getText(file) === 'name')
      titles.push(...literalsOf(node.initializer));
    node.forEachChild(visit);
  };
  visit(file);
  return [...comments.values(), ...titles];
}

const checkTexts = catalogue.flatMap(({ meta }): Text[] => {
  const place = `check ${meta.id}`;
  const texts = [meta.title, meta.why, adviceText(advising(meta.advice))];
  const reason = typeof meta.noRemedy === 'object' ? [meta.noRemedy.because] : [];
  const ofMessages = Object.entries(meta.messages).flatMap(([id, message]) => [
    messageText(message),
    titleFor(meta, id),
    sharedText(meta, id) ?? '',
    adviceText(advising(adviceFor(meta, id))),
  ]);
  return [...texts, ...reason, ...ofMessages].map((text) => [place, text]);
});
const remedyTexts = remedyCatalogue.flatMap(({ meta: { id, title, does, leaves } }): Text[] =>
  [title, does, leaves].map((text) => [`remedy ${id}`, text]),
);
const errorMeanings = Object.entries(errorTexts).map(([kind, { means }]): Text => [`error ${kind}`, means]);
const sources: Text[] = [];
const comments: Text[] = [];
for (const folder of ['src', 'scripts', 'bin', 'test'])
  for (const file of filesBelow(folder, /\.[cm]?[jt]s$/)) {
    if (file === 'test/contracts/vocabulary.test.ts') continue;
    const tree = treeOf(file);
    const place = (text: string): Text => [file, text];
    if (folder !== 'test') sources.push(...literalsOf(tree).map(place));
    // Names of cases in test/e2e are keys of recorded results.
    comments.push(...commentsOf(tree, /^test\/(?!e2e)/.test(file)).map(place));
  }
const goldens = [
  ...filesBelow('test/scenarios/golden', /\.txt$/),
  ...filesBelow('test/render/golden', /\.txt$/),
].map((file): Text => [file, read(file)]);
const pages = [
  ...readdirSync(root).filter((name) => /\.(md|ya?ml)$|^Dockerfile$/.test(name)),
  ...['docs', 'charts', '.github', 'test/cluster'].flatMap((folder) =>
    filesBelow(folder, /\.(md|ya?ml|txt|tpl)$/),
  ),
].map((file): Text => [file, read(file)]);

/** Descriptions in the JSON schemas, the dashboard and package.json. */
const descriptions = [
  'package.json',
  ...['docs/schema', 'charts'].flatMap((folder) => filesBelow(folder, /\.json$/)),
].flatMap((file) =>
  [...read(file).matchAll(/"(?:description|title|\$comment)": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '""']): Text => [file, JSON.parse(text)],
  ),
);

async function helpTexts(): Promise<readonly Text[]> {
  return Promise.all(
    commandTable.map(async (entry): Promise<Text> => {
      const { default: command } = await entry.load();
      return [`help ${entry.name}`, await commandHelp(entry, command, 1000)];
    }),
  );
}

const ids = new RegExp(`(?<![\\w-])(${catalogue.map(({ meta }) => meta.id).join('|')})(?![\\w-])`, 'g');

/** Quoted code, links named after a file, and ids, which are a contract, are excluded. */
const withoutCode = (text: string): string =>
  text
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/\[[\w./-]+\]\([^)]*\)/g, ' ')
    .replace(ids, ' ');

const phrases = vocabulary.phrases.map(({ not, say }) => ({ pattern: new RegExp(not, 'gi'), say }));
/** Any of the phrases: most texts have none, and are searched once. */
const anyPhrase = new RegExp(vocabulary.phrases.map(({ not }) => `(?:${not})`).join('|'), 'i');

const codeMayUse = new RegExp(`^(${vocabulary.codeMayUse})$`, 'i');

/** As {@link found}, for comments and titles of tests, in which some words for users are exact. */
const foundInCode = ([place, text]: Text): readonly string[] =>
  foundWords([place, withoutCode(text)]).flatMap(({ words, fault }) =>
    codeMayUse.test(words) ? [] : [fault],
  );

/** `place: words found → replacement`, once each. */
const found = (text: Text): readonly string[] => foundWords(text).map(({ fault }) => fault);

function foundWords([place, text]: Text): readonly { readonly words: string; readonly fault: string }[] {
  const plain = (/^(src|scripts|bin)\//.test(place) ? text : withoutCode(text)).replace(/\s+/g, ' ');
  if (!anyPhrase.test(plain)) return [];
  return phrases.flatMap(({ pattern, say }) =>
    (plain.match(pattern) ?? []).map((words) => ({
      words,
      fault: `${place}: "${words.toLowerCase()}" → ${say}`,
    })),
  );
}

/** Plurals, lists and counts that a source creates itself instead of src/phrases. */
const handMade = [
  /=== 1 \? (['"`])(\w+)\1 : \1\2?\w*s\1|=== 1 \? (['"`])\w*s\3 : \3\w+\3|=== 1 \? '(is|was|has|does)'|\? '' : 's'/,
  /\band \$\{[^}]*\} more\b/,
  /\.slice\(0, -1\)\.join\('[,;] '\)/,
  /\.join\(' (and|or) '\)/,
  /\$\{[\w.]+\} (?!ms\b)[a-z]+\(s\)/,
];

const tooLong = catalogue.flatMap(({ meta }) => [
  ...(meta.title.length > vocabulary.titleCharacters ? [`check ${meta.id}: title is too long`] : []),
  ...Object.entries(meta.messages)
    .filter(([, message]) => wordCount(messageText(message)) > vocabulary.messageWords)
    .map(([id]) => `check ${meta.id}: message ${id} is too long`),
]);

/**
 * A step that begins with a pronoun, or whose condition or object is one: reports print steps without those before them, so
 * each must name what it is about. A step with the role `with` follows another one.
 */
const opensWithPronoun =
  /^(?:(?:Then|Otherwise|Or|Else|Only|Usually)\b,? )?(?:(?:It|They|Its|Their|One|Them)\b|(?:Only )?[Ii]f (?:it|they|its|their|neither|not|there (?:is|are) none)\b|[A-Za-z]+ (?:it|its|them|their)\b|(?:Find|Read)(?: out| in)? (?:why|whether) (?:it|its|they|their)\b|Check (?:that|whether) (?:it|its|they)\b|To \w+ (?:it|them)\b)/;

const steps = catalogue.flatMap(({ meta }) =>
  [...new Set([meta.advice, ...Object.keys(meta.messages).map((id) => adviceFor(meta, id))])]
    .flatMap(stepTemplates)
    .map(({ role, prose }) => ({ check: meta.id, role, text: prose.join('`') })),
);

describe('the vocabulary', () => {
  // Known faults; the list may only become shorter: UPDATE=1 removes what is fixed.
  const debt: readonly string[] = JSON.parse(readFileSync(debtFile, 'utf8'));
  let faults: readonly string[];
  before(async () => {
    const texts = [
      ...checkTexts,
      ...remedyTexts,
      ...errorMeanings,
      ...sources,
      ...goldens,
      ...pages,
      ...descriptions,
      ...(await helpTexts()),
    ];
    faults = [...new Set([...texts.flatMap(found), ...comments.flatMap(foundInCode), ...tooLong])].sort();
    if (process.env.UPDATE === '1') {
      const left = debt.filter((entry) => faults.includes(entry));
      writeFileSync(debtFile, `${JSON.stringify(left, undefined, 2)}\n`);
    }
  });

  it('looks at texts of every kind', () => {
    for (const texts of [
      checkTexts,
      remedyTexts,
      errorMeanings,
      sources,
      comments,
      goldens,
      pages,
      descriptions,
    ])
      expect(texts.length).to.be.greaterThan(7);
  });

  it('finds a known phrase, and ignores quoted commands', () => {
    expect(found(['here', 'The webhook is\nasked about a Pod'])).to.deep.equal([
      'here: "is asked" → is called',
    ]);
    expect(found(['here', 'Run `kubectl mend it`.'])).to.deep.equal([]);
    expect(wordCount('{pods} of Service {service}: not ready')).to.equal(6);
  });

  it('names in each step what it is about, also without the step before it', () => {
    for (const text of [
      'Read its log',
      'If it does, restart the Pods',
      'Then restart it',
      'To prevent it, exclude',
    ])
      expect(opensWithPronoun.test(text)).to.equal(true, text);
    for (const text of ['Read the log of the Job', 'If this helps, stop', 'Run one replica, and restart it'])
      expect(opensWithPronoun.test(text)).to.equal(false, text);
    const vague = steps.filter(({ role, text }) => role !== 'with' && opensWithPronoun.test(text));
    expect(vague.map(({ check, text }) => `${check}: ${text}`)).to.deep.equal([]);
  });

  it('has one place for plurals, lists and "and 3 more": src/phrases', () => {
    const files = filesBelow('src', /\.ts$/).filter((file) => !/^src\/(phrases|demo)\//.test(file));
    const found = files.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line) =>
          handMade.some((pattern) => pattern.test(line)) ? [`${file}: ${line.trim()}`] : [],
        ),
    );
    expect(found).to.deep.equal([]);
    for (const line of [
      "const noun = count === 1 ? 'Pod' : 'Pods';",
      'and $'.concat('{names.length - 3} more'),
      "names.slice(0, -1).join(', ')",
      "names.join(' and ')",
      '`$'.concat('{count} replica(s)`'),
    ])
      expect(handMade.some((pattern) => pattern.test(line))).to.equal(true, line);
  });

  it('holds for every released text (test/contracts/vocabulary.json has the words to use)', () => {
    expect(faults.filter((fault) => !debt.includes(fault)).join('\n')).to.equal('');
  });

  it('has no entry in vocabulary-debt.json that is already fixed; otherwise remove it (UPDATE=1)', () => {
    if (process.env.UPDATE === '1') return;
    expect(debt.filter((entry) => !faults.includes(entry))).to.deep.equal([]);
  });
});
