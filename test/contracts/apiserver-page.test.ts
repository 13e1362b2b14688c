import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { apiserverPage, filesWithFunctions, modelFolder } from '../../scripts/apiserver-page.ts';
import { ruleSections } from '../../scripts/apiserver-rules.ts';
import { apiserverFile, isStale, wantedApiserverPage } from '../../scripts/generate-docs.ts';
import { recordedAgreements } from '../oracle/agreement.ts';

const rules = ruleSections.flatMap((section) => section.rules);
const places = rules.flatMap(({ where }) => where);

describe('docs/apiserver.md', () => {
  it('matches the rules and the recorded agreement; otherwise run "npm run docs" and commit the result', () => {
    expect(isStale(apiserverFile, wantedApiserverPage())).to.equal(false);
  });

  it('names files and folders that exist', () => {
    expect(places.filter((place) => !existsSync(join(modelFolder, place)))).to.deep.equal([]);
  });

  it('has a rule for every file of the model that exports a function', () => {
    const inFolder = (file: string) => places.some((place) => place.endsWith('/') && file.startsWith(place));
    const files = filesWithFunctions();
    expect(files).to.include.members(['admission/match.ts', 'certificate/parse/pem.ts']);
    expect(files.filter((file) => !places.includes(file) && !inFolder(file))).to.deep.equal([]);
  });

  it('names where a real API server was tested, and where it differs', () => {
    const [rule] = rules;
    const agreement = { group: rule?.group ?? '', version: '1.2.3', cases: 1234, agreed: 1230 };
    const page = apiserverPage(ruleSections, [agreement]);
    expect(page).to.include('| agree with 1.2.3 |').and.to.include('| 1 230 of 1 234 |');
    expect(page.split('\n').find((line) => line.includes(rule?.source ?? '?'))).to.match(
      /\| 1 230 of 1 234 \|$/,
    );
  });
});

describe('the recorded agreement', () => {
  it('covers rules that have a group, on two minor versions at least', () => {
    const agreements = recordedAgreements();
    expect(new Set(agreements.map(({ version }) => version)).size).to.be.greaterThan(1);
    const groups = rules.map(({ group }) => group);
    expect(agreements.filter(({ group }) => !groups.includes(group))).to.deep.equal([]);
  });

  for (const { group, version, cases, agreed, unknown = 0 } of recordedAgreements()) {
    it(`the record of ${group} on ${version} is complete: ${cases} cases, few of them undecided`, () => {
      expect(cases).to.be.greaterThan(0);
      expect(agreed + unknown).to.equal(cases);
      expect(unknown).to.be.at.most(cases / 5);
    });
  }
});
