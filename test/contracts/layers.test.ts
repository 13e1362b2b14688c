import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';

const root = join(import.meta.dirname, '..', '..');
const rules: { forbidden: IFlattenedRuleSet['forbidden']; options: object } = createRequire(import.meta.url)(
  join(root, '.dependency-cruiser.cjs'),
);

/** A file, its one import, and the rule that must report it (undefined: none may). */
const imports: readonly (readonly [file: string, imported: string, rule: string | undefined])[] = [
  ['src/basics/a.ts', '../facts/target.ts', 'basics-imports'],
  ['src/facts/a.ts', '../apiserver/target.ts', 'facts-imports'],
  ['src/facts/b.ts', 'node:tls', 'sockets'],
  ['src/apiserver/a.ts', '../checks/target.ts', 'apiserver-imports'],
  ['src/apiserver/b.ts', 'node:crypto', undefined],
  ['src/phrases/a.ts', '../facts/target.ts', 'phrases-imports'],
  ['src/pods/a.ts', '../checks/target.ts', 'pods-imports'],
  ['src/serving-certificates/a.ts', '../checks/target.ts', 'serving-certificates-imports'],
  ['src/products/a.ts', '../checks/target.ts', 'products-imports'],
  ['src/checks/routing/a.ts', '../../collect/target.ts', 'checks-imports'],
  ['src/checks/routing/c.ts', 'node:fs', 'pure-layers'],
  ['src/checks/routing/d.ts', '@oclif/core', 'pure-layers-libraries'],
  ['src/checks/routing/e.ts', '../../products/target.ts', undefined],
  ['src/diagnose/a.ts', '../render/target.ts', 'diagnose-imports'],
  ['src/lint/a.ts', '../remedies/target.ts', 'lint-imports'],
  ['src/lint/b.ts', 'node:fs', 'pure-layers'],
  ['src/library/a.ts', '../checks/target.ts', 'library-imports'],
  ['src/library/b.ts', 'node:fs', 'pure-layers'],
  ['src/what-if/a.ts', '../remedies/target.ts', 'what-if-imports'],
  ['src/what-if/b.ts', 'node:fs', 'pure-layers'],
  ['src/remedies/a.ts', '../change/target.ts', 'remedies-imports'],
  ['src/remedies/b.ts', '../change/plan.ts', undefined],
  ['src/render/a.ts', '../diagnose/target.ts', 'render-imports'],
  ['src/render/b.ts', '../diagnose/report.ts', undefined],
  ['src/render/c.ts', '../change/change-report.ts', undefined],
  ['src/collect/a.ts', '../checks/target.ts', 'collect-imports'],
  ['src/collect/b.ts', '@kubernetes/client-node', 'no-development-packages'],
  ['src/scan/a.ts', '../collect/target.ts', 'scan-imports'],
  ['src/explain/a.ts', '../collect/target.ts', 'explain-imports'],
  ['src/snapshot/a.ts', '../collect/target.ts', 'snapshot-imports'],
  ['src/alerts/a.ts', '../apiserver/target.ts', 'alerts-imports'],
  ['src/soak/a.ts', '../collect/target.ts', 'soak-imports'],
  ['src/change/a.ts', '../remedies/target.ts', 'change-imports'],
  ['src/change/b.ts', './kube-writer.ts', undefined],
  ['src/workflows/d.ts', '../change/kube-writer.ts', 'only-change-writes'],
  ['src/workflows/e.ts', '../change/change-tools.ts', 'one-way-to-change-tools'],
  ['src/workflows/change/with-change-tools.ts', '../../change/change-tools.ts', undefined],
  ['src/workflows/f.ts', '../collect/kube/http/transport.ts', 'transport'],
  ['src/serve/a.ts', '../collect/target.ts', 'serve-imports'],
  ['src/serve/b.ts', 'node:https', undefined],
  ['src/demo/a.ts', '../checks/target.ts', 'demo-imports'],
  ['src/demo/b.ts', 'node:https', undefined],
  ['src/workflows/a.ts', '../cli/target.ts', 'workflows-imports'],
  ['src/workflows/b.ts', 'node:https', 'sockets'],
  ['src/workflows/c.ts', '../collect/target.ts', undefined],
  ['src/commands/a.ts', '../collect/target.ts', 'commands-imports'],
  ['src/commands/b.ts', '../workflows/target.ts', undefined],
  ['src/cli/a.ts', '../collect/target.ts', 'cli-imports'],
  ['src/cli/b.ts', '../../test/target.ts', 'not-from-tests'],
  ['src/cli/c.ts', 'chai', 'no-development-packages'],
  ['src/cli/d.ts', './nowhere.ts', 'resolvable'],
];

/** The reports of dependency-cruiser for a tree of these files. */
async function objections(): Promise<Map<string, string[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'layers-'));
  try {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    };
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
    write('package.json', JSON.stringify(createRequire(import.meta.url)(join(root, 'package.json'))));
    for (const [path, imported] of imports) {
      write(path, `import * as it from '${imported}';\nexport const used = it;\n`);
      const target = join(dirname(path), imported);
      if (/^\.(?!.*nowhere)/.test(imported)) write(target, 'export const target = true;\n');
    }
    const { output } = await cruise(['src'], {
      ...rules.options,
      tsConfig: {},
      baseDir: directory,
      validate: true,
      ruleSet: { forbidden: rules.forbidden },
    } as Parameters<typeof cruise>[1]);
    const found = new Map<string, string[]>();
    for (const { from, rule } of (output as ICruiseResult).summary.violations) {
      found.set(from, [...(found.get(from) ?? []), rule.name]);
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('import directions', () => {
  let found: Map<string, string[]>;

  before(async () => {
    found = await objections();
  });

  for (const [path, imported, rule] of imports) {
    it(`${path} ${rule ? 'must not' : 'may'} import ${imported}`, () => {
      expect(found.get(path) ?? []).to.deep.equal(rule ? [rule] : []);
    });
  }

  it('has a case for every rule but the one against cycles', () => {
    const tested = new Set(imports.map(([, , rule]) => rule));
    const untested = rules.forbidden?.map((rule) => rule.name).filter((name) => !tested.has(name));
    expect(untested).to.deep.equal(['no-cycles']);
  });

  it('are those of the folders in docs/architecture.md', () => {
    const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    expect(folders.map(({ name }) => `src/${name}/`).filter((folder) => !page.includes(folder))).to.be.empty;
  });

  it('has no rule for a folder or file that was removed', () => {
    const files = ['src', 'test', 'scripts'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        `${folder}/${file}`.replaceAll('\\', '/'),
      ),
    );
    const patterns = JSON.stringify(rules.forbidden)
      .match(/"\^(src|test|scripts)\/[^"]+"/g)
      ?.map((pattern): string => JSON.parse(pattern));
    const idle = patterns?.filter((pattern) => !files.some((file) => new RegExp(pattern).test(file)));
    expect(patterns).to.have.length.greaterThan(20);
    expect(idle).to.deep.equal([]);
  });

  it('names for every rule where the code belongs instead', () => {
    for (const rule of rules.forbidden ?? []) expect(rule.comment, rule.name).to.match(/\.$/);
  });
});
