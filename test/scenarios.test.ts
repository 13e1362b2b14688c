import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { scenarios } from '../src/demo/scenarios/catalogue.ts';
import { beginning, type Scenario } from '../src/demo/scenarios/scenario.ts';
import type { DoctorReport } from '../src/diagnose/report.ts';
import { calloutId } from '../src/facts/callout.ts';
import { commandsOf, commandsWith } from '../src/phrases/advice.ts';
import { reportDocument } from '../src/render/data-formats/document.ts';
import { renderJson } from '../src/render/data-formats/json.ts';
import { renderReport } from '../src/render/render-report.ts';
import { examined, expectGrades } from './incidents/diagnosed.ts';
import { examine } from './scenarios/examine.ts';
import { expectationOf, unknownSlugs } from './scenarios/expectations.ts';
import { expectedVerdicts, verdicts } from './scenarios/verdicts.ts';
import { accepts } from './support/accepted-line.ts';
import { expectShort } from './support/message-words.ts';
import { schemaErrors } from './support/schema.ts';
import { commandsIn, wordsOf } from './support/told-lines.ts';

/** Checks with findings at or above warning, except consequences. */
const loud = ({ findings }: DoctorReport): readonly string[] =>
  findings
    .filter(({ severity, causedBy }) => severity !== 'info' && causedBy === undefined)
    .map(({ check }) => check);

const look = { width: 100, colour: false, unicode: true, wide: false, all: false };

/** The terminal output of some scenarios is compared; UPDATE=1 writes it. */
function matchesGolden({ slug }: Scenario, screen: string): void {
  const golden = new URL(`scenarios/golden/${slug}.txt`, import.meta.url);
  if (!existsSync(golden)) return;
  const text = screen
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-01-02T02:29:05Z')
    .replaceAll(/\b\d+(\.\d)? ms\b/g, '1.0 ms');
  if (process.env.UPDATE === '1') writeFileSync(golden, text);
  expect(text).to.equal(readFileSync(golden, 'utf8'));
}

const flat = (text: string): string => text.replace(/\s+\\?\s*/g, ' ');

/** The sentence of the step that is the next command is on the screen. */
function expectPurpose({ findings, stories, next }: DoctorReport, screen: string): void {
  if (next === undefined || next.fixes === true || next.firstAid === true || stories.length > 1) return;
  const isStep = findings.some(({ advice }) =>
    commandsOf(advice).some(({ text }) => text === next.command.text),
  );
  if (isStep) expect(flat(screen)).to.include(flat(next.title).split(' (')[0]);
}

const ofBackend = ['kind', 'configuration', 'namespace', 'service', 'workload', 'pod'] as const;

/** Printed commands can be run: ours parse, and all known names are filled in. */
async function expectCommands(report: DoctorReport, screen: string): Promise<void> {
  const folded = screen.replace(/ \\\n +/g, ' ');
  const shown = [...folded.matchAll(/kubectl webhook [a-z].*?(?= {2}|$|`| \()/gm)].map(([line]) => line);
  for (const line of new Set([...commandsIn(reportDocument(report)), ...shown])) {
    if (line.startsWith('kubectl webhook ')) await accepts(wordsOf(line).slice(2));
  }
  const pods = new Map(report.callouts.map((one) => [calloutId(one), one.replicas.some(({ pod }) => pod)]));
  for (const { id, callout = '', advice } of report.findings) {
    const unfilled = ofBackend.filter(
      (name) => commandsWith(advice.steps, name).length > 0 && advice.names[name] === undefined,
    );
    const known = report.findings
      .filter((other) => other.callout === callout)
      .flatMap(({ advice: { names } }) => ofBackend.filter((name) => names[name] !== undefined));
    if (pods.get(callout) === true) known.push('pod');
    expect(
      unfilled.filter((name) => known.includes(name)),
      id,
    ).to.deep.equal([]);
  }
}

/** A first screen says what is wrong, what is blocked or unchecked, and what to type. */
function expectAnswers({ stories, callouts }: DoctorReport, screen: string): void {
  const text = screen.replace(/\s+/g, ' ');
  for (const { message = '' } of stories.slice(0, 3)) expect(text).to.contain(message.replace(/\s+/g, ' '));
  const effects = callouts.flatMap(({ verdict }) => (verdict.state === 'failing' ? [verdict.effect] : []));
  if (effects.includes('blocks')) expect(screen).to.match(/^Blocked now/m);
  if (effects.includes('fails-open')) expect(screen).to.match(/^Unchecked now/m);
  if (effects.length > 0) expect(screen).to.match(/^Next {2}kubectl /m);
}

describe('scenarios', () => {
  it('are all that expectations name', () => expect(unknownSlugs).to.deep.equal([]));

  let reports: ReturnType<typeof examined> = new Map();
  before(() => {
    reports = examined(scenarios, examine);
  });

  for (const scenario of scenarios) {
    it(`${scenario.slug}: ${beginning(scenario)}`, async () => {
      const report = (await reports.get(scenario.slug)) as DoctorReport;
      expectGrades(scenario.slug, report);
      const expected = expectationOf(scenario);
      const found = verdicts(scenario, report);
      expect(found).to.have.deep.members(expectedVerdicts(scenario, report));
      expect(found.map(({ callout }) => callout)).to.include.members(
        expected.expect.map(({ callout }) => callout),
      );
      const causes = expected.expect.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
      expect([...new Set(loud(report))].sort()).to.deep.equal(
        [...new Set([...causes, ...expected.also])].sort(),
      );
      expect(report.notLookedAt).to.deep.equal([]);
      for (const { check, message } of report.findings) expectShort(check, message);
      expect(schemaErrors(JSON.parse(renderJson(reportDocument(report))))).to.deep.equal([]);
      const ids = report.findings.map(({ id }) => id);
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).to.deep.equal([]);
      const screen = await renderReport(report, undefined, look);
      if (report.stories.length === 1) expect(screen.trimEnd().split('\n').length).to.be.at.most(25);
      expectAnswers(report, screen);
      await expectCommands(report, screen);
      expectPurpose(report, screen);
      matchesGolden(scenario, screen);
    });
  }
});
