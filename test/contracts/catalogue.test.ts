import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { catalogue, inCatalogue } from '../../src/checks/catalogue.ts';
import { type Check, type DefinedCheck, messageText, sharedText, titleFor } from '../../src/checks/check.ts';
import { explanations } from '../../src/checks/explanations.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { adviceText, commandsIn, commandsOf, filledSteps, textOfParts } from '../../src/phrases/advice.ts';
import { advising } from '../support/report.ts';

const root = join(import.meta.dirname, '..', '..');
const camelCase = (id: string): string => id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The files of a folder and of those in it. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

/** A file under src/checks/LINK, or a folder of it, that exports a check; other files are shared code. */
interface CheckFile {
  readonly link: string;
  readonly name: string;
  readonly exported: string;
  readonly check: DefinedCheck;
}

const isCheck = (value: unknown): value is DefinedCheck =>
  typeof value === 'object' && value !== null && 'meta' in value && 'requires' in value;

async function checkFiles(): Promise<readonly CheckFile[]> {
  const found: CheckFile[] = [];
  for (const { name: link } of readdirSync(join(root, 'src/checks'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory(),
  )) {
    for (const file of filesIn(join('src/checks', link))) {
      const module: object = await import(pathToFileURL(join(root, 'src/checks', link, file)).href);
      for (const [exported, value] of Object.entries(module)) {
        if (isCheck(value)) found.push({ link, name: basename(file, '.ts'), exported, check: value });
      }
    }
  }
  return found;
}

/** The advice of a check, and those of its messages. */
const advicesOf = ({ advice, messages }: Check['meta']): readonly string[] => [
  advice,
  ...Object.values(messages).flatMap((message) =>
    typeof message === 'object' ? (message.advice ?? []) : [],
  ),
];

/** The same with placeholders for all names. */
const filledAdvices = (meta: Check['meta']): readonly string[] =>
  advicesOf(meta).map((text) => adviceText(advising(text)));

/** Every text of a check for users, by its kind. */
const textsOf = ({ meta }: Check): readonly (readonly [string, string])[] => [
  ['title', meta.title],
  ['why', meta.why],
  ...filledAdvices(meta).map((text) => ['advice', text] as const),
  ...Object.entries(meta.messages).map(([id, message]) => [id, messageText(message)] as const),
];

const ids = catalogue.map(({ meta }) => meta.id);

describe('the catalogue of checks', () => {
  let files: readonly CheckFile[];
  before(async () => {
    files = await checkFiles();
  });

  it('contains every check of src/checks once', () => {
    expect([...ids].sort()).to.deep.equal(files.map(({ name }) => name).sort());
    expect(catalogue.length).to.equal(new Set(catalogue).size);
  });

  it('has one id for each check, previous ids included', () => {
    const all = [...ids, ...catalogue.flatMap(({ meta }) => meta.aliases ?? [])];
    expect(all.filter((id, index) => all.indexOf(id) !== index)).to.deep.equal([]);
  });

  it('names id, file and export alike, in the folder of the link', () => {
    const named = files.map(({ link, name, exported }) => [name, exported, link]);
    const listed = files.map(({ check }) => inCatalogue(check).meta);
    expect(named).to.deep.equal(listed.map(({ id, link }) => [id, camelCase(id), link]));
  });

  it('explains texts only by its checks, each once', () => {
    const explaining = Object.entries(explanations).flatMap(([text, list]) =>
      list.filter((id, at) => !ids.includes(id) || list.indexOf(id) !== at).map((id) => `${text}: ${id}`),
    );
    expect(explaining).to.deep.equal([]);
  });

  it('leaves out a severity only where each call fails', () => {
    const graded = files.map(({ check }) => check.meta).filter(({ severity }) => severity === undefined);
    expect(graded.filter(({ consequence }) => consequence !== 'failing')).to.deep.equal([]);
    expect(files.map(({ check }) => inCatalogue(check).meta.severity)).to.not.include(undefined);
  });

  it('has a test of the same name for every check', () => {
    const tests = (link: string) =>
      new Set(filesIn(join('test/checks', link)).map((file) => basename(file, '.test.ts')));
    const untested = catalogue
      .filter(({ meta }) => !tests(meta.link).has(meta.id))
      .map(({ meta }) => meta.id);
    expect(untested).to.deep.equal([]);
  });

  for (const check of catalogue) {
    const { meta } = check;
    describe(meta.id, () => {
      it('is named in kebab case', () => {
        expect(meta.id).to.match(/^[a-z]+(-[a-z]+)*$/);
      });

      it('follows only checks that exist, and not itself', () => {
        if (typeof meta.follows === 'string') return;
        expect(ids).to.include.members([...(meta.follows ?? [])]);
        for (const message of Object.values(meta.messages))
          if (typeof message === 'object') expect(ids).to.include.members([...(message.follows ?? [])]);
        expect(meta.follows ?? []).to.not.include(meta.id);
      });

      it('has texts without typing errors: spaces, full stops, empty words', () => {
        for (const [what, text] of textsOf(check)) {
          expect(text, what)
            .to.match(/^\S/)
            .and.match(/\S$/)
            .and.not.match(/ {2}|\n|\t| [,.;:]/);
        }
        expect(meta.title, 'title').to.not.match(/\.$/);
        for (const id of Object.keys(meta.messages))
          expect(titleFor(meta, id), id)
            .to.match(/^\S.*[^.\s]$/)
            .and.have.lengthOf.at.most(60);
        for (const text of [meta.why, ...filledAdvices(meta)]) expect(text).to.match(/[.)]$/);
        for (const [id, message] of Object.entries(meta.messages)) {
          expect(messageText(message), id).to.not.match(/\.$/);
        }
      });

      it('leaves no name in a command that a finding can fill in', () => {
        const commands =
          advicesOf(meta)
            .join(' ')
            .match(/`[^`]*`/g)
            ?.filter((code) => code.startsWith('`kubectl')) ?? [];
        expect(commands.join()).to.not.match(/\b(NAME|NAMESPACE|POD|CONTAINER|NODE|KIND)\b/);
        expect(filledAdvices(meta).join(' ')).to.not.match(/\{[a-z]+\}/);
      });

      it('has a mechanism and a consequence: two sentences, or three short ones', () => {
        const sentences = meta.why.replace(/`[^`]*`/g, 'X').split(/[.?!]\)?\s+(?=[A-Z])/);
        expect(sentences).to.have.length.at.most(3);
        const most = sentences.length < 3 ? 48 : 32;
        for (const one of sentences) expect(one.split(/\s+/), one).to.have.length.at.most(most);
      });

      it('turns a conversion off only where no field is lost, or the product was uninstalled', () => {
        for (const text of advicesOf(meta).filter((one) => one.includes('"strategy":"None"')))
          expect(text).to.match(/have the same fields|was uninstalled|product is not needed/);
      });

      it('has one sentence in each step, no condition in a safe one, and changes nothing to find something out', () => {
        for (const step of advicesOf(meta).flatMap((text) => filledSteps(advising(text)))) {
          const sentence = textOfParts(step.prose).replace(/`[^`]*`/g, 'X');
          expect(sentence).to.not.match(/[.)] (?=[A-Z])|\[[a-z-]+\] /);
          // The first safe step is printed as the next command, without its condition.
          if (step.role === 'safe') expect(sentence).to.not.match(/^If /);
          for (const { text } of step.role === 'look' || step.role === 'see' ? commandsIn(step) : [])
            expect(text).to.not.match(
              / (annotate|apply|create|delete|drain|edit|label|patch|replace|restart|scale|undo) /,
            );
        }
      });

      it('advises at least one command', () => {
        expect(commandsOf(advising(meta.advice))).to.not.be.empty;
      });

      it('has references: an address, or a path of kubernetes.io', () => {
        for (const reference of meta.references ?? [])
          expect(reference).to.match(/^(https:\/\/|\/docs\/)\S+$/);
      });

      it('advises only commands that exist', () => {
        const ours = [
          ...filledAdvices(meta)
            .join(' ')
            .matchAll(/kubectl webhook ([\w-]+)/g),
        ].map(([, command]) => command);
        expect(commandTable.map(({ name }) => name)).to.include.members(ours);
      });
    });
  }
});

describe('causes that several backends can share', () => {
  const isShared = (id: string, message: string): boolean => {
    const check = catalogue.find(({ meta }) => meta.id === id);
    return check !== undefined && sharedText(check.meta, message) !== undefined;
  };

  it('are outside of them', () => {
    expect(isShared('replica-node-not-ready', 'all')).to.equal(true);
    expect(isShared('unreachable-from-control-plane', 'all')).to.equal(true);
    expect(isShared('replica-unschedulable', 'cordoned')).to.equal(true);
    // Labels are those of one workload; a call can fail for a reason in its own Pods.
    expect(isShared('replica-unschedulable', 'labels')).to.equal(false);
    expect(isShared('unreachable-from-control-plane', 'dryRun')).to.equal(false);
    expect(isShared('api-server-proxy', 'container')).to.equal(false);
    expect(isShared('replica-crash-looping', 'logged')).to.equal(false);
  });
});
