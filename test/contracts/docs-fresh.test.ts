import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { checkIndex, checkPage } from '../../scripts/check-pages.ts';
import {
  checksFolder,
  differences,
  incidentsFile,
  incidentsFolder,
  isStale,
  plainManifestsFile,
  remediesFolder,
  securityFile,
  triangulationFile,
  wantedChartFiles,
  wantedCheckPages,
  wantedIncidentPages,
  wantedIncidentsPage,
  wantedPlainManifests,
  wantedRemedyPages,
  wantedSecurityPage,
  write,
} from '../../scripts/generate-docs.ts';
import { countsFile, countsText } from '../../scripts/incident-counts.ts';
import { limitRows } from '../../scripts/limit-table.ts';
import { shapesFile, shapesText } from '../../scripts/object-shapes.ts';
import { triangulationPage } from '../../scripts/triangulation-page.ts';
import { adviceText } from '../../src/phrases/advice.ts';
import { listChecks } from '../../src/workflows/checks.ts';
import { incidents } from '../incidents/incidents.ts';

describe('docs/remedies', () => {
  it('matches the remedies; otherwise run "npm run docs" and commit the result', () => {
    expect(differences(remediesFolder, wantedRemedyPages())).to.deep.equal([]);
  });
});

describe('docs/checks', () => {
  it('matches the checks; otherwise run "npm run docs" and commit the result', () => {
    expect(differences(checksFolder, wantedCheckPages())).to.deep.equal([]);
  });

  it('has one page per check, with links to existing pages', () => {
    const pages = wantedCheckPages();
    expect([...pages.keys()]).to.have.members([
      'README.md',
      ...listChecks().checks.map(({ id }) => `${id}.md`),
    ]);
    for (const [name, text] of pages) {
      for (const [, target] of text.matchAll(/\]\(([\w-]+\.md)\)/g)) {
        expect(pages.has(target ?? ''), `${name} leads to ${target}`).to.equal(true);
      }
    }
  });

  it('contains everything about a check', () => {
    for (const check of listChecks().checks) {
      const page = checkPage(check);
      const advices = [check, ...check.messages]
        .flatMap(({ advice }) => advice ?? [])
        .map((one) => adviceText(one));
      for (const text of [check.title, check.why, ...advices, ...check.references]) {
        expect(page, check.id).to.include(text);
      }
      expect(page.split('\n').filter((line) => /^\| (error|warning|info) \|/.test(line))).to.have.length(
        check.messages.length,
      );
      expect(checkIndex([check])).to.include(`[${check.id}](${check.id}.md)`);
    }
  });
});

describe('the generator of pages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-docs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const pages = new Map([
    ['README.md', '# Checks\n'],
    ['a.md', 'A\n'],
  ]);

  it('names missing, stale and obsolete pages, and writes nothing while it compares', () => {
    writeFileSync(join(folder, 'a.md'), 'old\n');
    writeFileSync(join(folder, 'gone.md'), 'x\n');
    expect(differences(folder, pages)).to.deep.equal(['missing README.md', 'stale a.md', 'dead gone.md']);
    expect(readdirSync(folder).sort()).to.deep.equal(['a.md', 'gone.md']);
  });

  it('writes missing or stale pages, removes obsolete ones, and then finds no difference', () => {
    writeFileSync(join(folder, 'gone.md'), 'x\n');
    write(folder, pages);
    expect(readdirSync(folder).sort()).to.deep.equal(['README.md', 'a.md']);
    expect(write(folder, pages)).to.deep.equal([]);
  });

  it('accepts a missing folder, and line endings of Windows', () => {
    expect(differences(join(folder, 'none'), pages)).to.have.length(2);
    writeFileSync(join(folder, 'a.md'), 'A\r\n');
    expect(differences(folder, pages)).to.deep.equal(['missing README.md']);
  });
});

describe('docs/security.md', () => {
  it('has the limits of the code; otherwise run "npm run docs" and commit the result', () => {
    expect(wantedSecurityPage()).to.include(limitRows());
    expect(isStale(securityFile, wantedSecurityPage())).to.equal(false);
  });
});

describe('docs/triangulation.md', () => {
  it('matches the table; otherwise run "npm run docs" and commit the result', () => {
    expect(isStale(triangulationFile, triangulationPage())).to.equal(false);
  });
});

describe('docs/incidents.md', () => {
  it('matches the incidents; otherwise run "npm run docs" and commit the result', () => {
    expect(isStale(incidentsFile, wantedIncidentsPage())).to.equal(false);
    expect(differences(incidentsFolder, wantedIncidentPages())).to.deep.equal([]);
    expect(isStale(countsFile, countsText(incidents))).to.equal(false);
  });
});

describe('the shapes of objects', () => {
  it('match the types of facts; otherwise run "npm run docs" and commit the result', () => {
    expect(isStale(shapesFile, shapesText())).to.equal(false);
  });
});

describe('the Helm chart', () => {
  it('grants the rules of "rbac serve"; otherwise run "npm run docs" and commit the result', () => {
    expect(wantedChartFiles().map(([file]) => basename(file))).to.deep.equal([
      'ClusterRole.yaml',
      'Role.yaml',
    ]);
    for (const [file, text] of wantedChartFiles()) expect(isStale(file, text), file).to.equal(false);
    expect(isStale(plainManifestsFile, wantedPlainManifests())).to.equal(false);
  });
});
